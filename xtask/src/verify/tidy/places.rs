//! Paths of one machine and hosts of package registries, which no file of the project names.

use std::ffi::OsString;
use std::path::Path;

/// Folders that are the same everywhere, so that a path beginning with one tells nothing.
const COMMON: &[&str] = &[
    "/bin", "/dev", "/etc", "/home", "/lib", "/mnt", "/opt", "/private", "/proc", "/run", "/srv",
    "/tmp", "/usr", "/var",
];

/// The home of the superuser: where CI and containers often work.
const ROOT_HOME: &str = "/root";

/// Names people use in examples, whose homes are nobody's.
const EXAMPLE_PEOPLE: &[&str] = &["ada", "alice", "bob", "me", "u", "user", "x", "you"];

/// First labels by which the hosts of registries and mirrors are known.
const REGISTRY_LABELS: &[&str] = &[
    "artifactory",
    "deb",
    "files",
    "index",
    "mirror",
    "mirrors",
    "nexus",
    "proxy",
    "pypi",
    "registry",
    "static",
];

/// What counts as a path of this machine.
#[derive(Debug)]
pub(super) struct Places {
    /// The checkout, its uncommon parents and the home: each ends in `/`.
    own: Vec<String>,
}

impl Places {
    /// The places of a checkout at `root` and of the person whose home is `home`.
    pub(super) fn of(root: &Path, home: Option<OsString>) -> Self {
        let home = home.unwrap_or_default();
        let mut own: Vec<String> = root
            .ancestors()
            .chain([Path::new(&home)])
            .filter(|dir| dir.is_absolute() && dir.parent().is_some())
            .map(|dir| dir.to_string_lossy().into_owned())
            .filter(|dir| !COMMON.contains(&dir.as_str()))
            .map(|dir| format!("{dir}/"))
            .collect();
        own.push(format!("{ROOT_HOME}/"));
        own.sort();
        own.dedup();
        Self { own }
    }

    /// Line, rule and message of every place named in `text`; one a line and rule is enough.
    pub(super) fn named_in(&self, text: &str) -> Vec<(usize, &'static str, String)> {
        let mut found = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if let Some(path) = self.machine_path(line) {
                let message = format!(
                    "`{path}…` is a path of one machine; take it from the environment or a temporary folder"
                );
                found.push((index + 1, "machine-path", message));
            }
            if let Some(host) = registry_host(line) {
                let message = format!(
                    "`{host}` is the host of a registry; name the package and leave the place to the client"
                );
                found.push((index + 1, "registry-host", message));
            }
        }
        found
    }

    fn machine_path(&self, line: &str) -> Option<String> {
        let own = self.own.iter().find(|dir| stands_alone(line, dir));
        own.cloned().or_else(|| {
            ["/home/", "/Users/"].iter().find_map(|homes| {
                let (_, after) = line.split_once(homes)?;
                let end = after
                    .find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)))
                    .unwrap_or(after.len());
                let person = &after[..end];
                let named = !person.is_empty() && !EXAMPLE_PEOPLE.contains(&person);
                (named && stands_alone(line, homes)).then(|| format!("{homes}{person}"))
            })
        })
    }
}

/// Whether an absolute path beginning so stands in the line: not as the tail of a longer path or word.
fn stands_alone(line: &str, dir: &str) -> bool {
    line.match_indices(dir).any(|(at, _)| {
        !line[..at].ends_with(|c: char| c.is_alphanumeric() || "-_./}$~>".contains(c))
    })
}

/// The host of the first address in the line that only a registry or a mirror would have.
fn registry_host(line: &str) -> Option<String> {
    line.split("://").skip(1).find_map(|after| {
        let end =
            after.find(|c: char| !(c.is_alphanumeric() || "-.".contains(c))).unwrap_or(after.len());
        let host = &after[..end];
        let first = host.split('.').next().unwrap_or_default();
        let address = host.split('.').filter(|part| part.parse::<u8>().is_ok()).count() == 4;
        let elsewhere = address && !host.starts_with("127.") && host != "0.0.0.0";
        let registry = host.contains('.') && REGISTRY_LABELS.contains(&first);
        (elsewhere || registry).then(|| host.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(line: &str) -> Vec<&'static str> {
        let places = Places::of(Path::new("/build/seatfork"), Some("/people/ann".into()));
        places.named_in(line).into_iter().map(|(_, rule, _)| rule).collect()
    }

    #[test]
    fn the_checkout_its_parents_and_homes_are_paths_of_a_machine() {
        for line in [
            "cd /build/seatfork/x",
            "\"/build/other\"",
            "see /people/ann/.x",
            "/root/.y",
            "/home/ann2/z",
            "/Users/ann/z",
        ] {
            assert_eq!(rules(line), ["machine-path"], "{line}");
        }
    }

    #[test]
    fn common_folders_examples_and_tails_of_longer_paths_are_not() {
        for line in [
            "/usr/bin/tmux",
            "/home/me/rig",
            "target/build/x",
            "$DIR/root/x",
            "~/root/",
            "/tmp/x",
            "/rooted",
            "/w/a",
        ] {
            assert_eq!(rules(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn hosts_of_registries_and_mirrors_are_found_and_other_addresses_are_not() {
        for host in [
            "registry.example.org/x",
            "static.example.net",
            "mirror.local.test:80/",
            "10.1.2.3:8080/npm",
        ] {
            assert_eq!(rules(&format!("see https://{host}")), ["registry-host"], "{host}");
        }
        for host in [
            "example.org/registry.html",
            "127.0.0.1:1/v1",
            "github.com/seatfork",
            "docs.example.org",
        ] {
            assert_eq!(rules(&format!("see http://{host}")), [""; 0], "{host}");
        }
    }
}
