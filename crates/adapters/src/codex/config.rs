//! The user's settings, of which little is read and nothing is kept but names (SPEC 14).
//!
//! Read are: the names of the servers the runtime would start, whether a
//! directory is trusted, and the name of the model provider. Nothing is
//! written, and the file that holds a login is never opened.

use super::layout::Layout;
use crate::contract::failure::FindError;
use crate::contract::plan::{SeatWish, Server, Surroundings};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use toml::Table;

/// Settings of the whole machine.
const SYSTEM: &str = "/etc/codex/config.toml";

/// Every server that any of the settings names which can hold in a seat.
pub(super) fn surroundings(wish: &SeatWish, layout: &Layout) -> Result<Surroundings, FindError> {
    let mut servers = BTreeSet::new();
    for path in places(wish, layout) {
        let Some(table) = read(&path)? else { continue };
        let Some(named) = table.get("mcp_servers").and_then(|value| value.as_table()) else {
            continue;
        };
        for (name, server) in named {
            let is_remote = server.get("url").is_some();
            servers.insert(Server { name: name.clone(), is_remote });
        }
    }
    Ok(Surroundings { servers: servers.into_iter().collect() })
}

/// The settings that can hold in a seat's directory. Those of a project hold only where it is trusted; naming a server
/// that does not come up is harmless, so trust is not asked here.
fn places(wish: &SeatWish, layout: &Layout) -> Vec<Utf8PathBuf> {
    let mut places = vec![Utf8PathBuf::from(SYSTEM), layout.config()];
    places.extend(wish.codex_config_profile.as_deref().map(|name| layout.profile(name)));
    places.extend(wish.cwd.ancestors().map(|dir| dir.join(".codex/config.toml")));
    places
}

/// A settings file; `None` when it is not there.
pub(super) fn read(path: &Utf8Path) -> Result<Option<Table>, FindError> {
    let failed = |why: String| FindError { path: path.to_owned(), why };
    match std::fs::read_to_string(path) {
        Ok(text) => text.parse::<Table>().map(Some).map_err(|error| {
            // The error quotes the line, which may hold a secret; its place is enough.
            let at = error.span().map_or(0, |span| span.start);
            let line = text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
            failed(format!("line {line} is no TOML"))
        }),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

/// The override that keeps every named server from starting, for one command: one value, since a later one replaces an
/// earlier. Each is given a program or an address of its own kind, or naming one whose project is not trusted would be
/// an error.
pub(super) fn all_off(surroundings: &Surroundings) -> Option<String> {
    if surroundings.servers.is_empty() {
        return None;
    }
    let off = |server: &Server| {
        let name = quoted(&server.name);
        let what =
            if server.is_remote { r#"url="http://127.0.0.1:9""# } else { r#"command="false""# };
        format!("{name}={{enabled=false,required=false,{what}}}")
    };
    let all: Vec<String> = surroundings.servers.iter().map(off).collect();
    Some(format!("mcp_servers={{{}}}", all.join(",")))
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.extend(format!("\\U{:08X}", u32::from(c)).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// What the settings say of a directory's trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// It is trusted.
    Yes,
    /// It is expressly not; nobody asks.
    No,
    /// Nothing is said, so it is asked where it is a project.
    Unsaid,
}

/// Whether a directory, or the project it lies in, is trusted.
pub(super) fn trust(table: &Table, dirs: &[Utf8PathBuf]) -> Trust {
    let projects = table.get("projects").and_then(|value| value.as_table());
    let said =
        dirs.iter().find_map(|dir| projects?.get(dir.as_str())?.get("trust_level")?.as_str());
    match said {
        Some("trusted") => Trust::Yes,
        Some(_) => Trust::No,
        None => Trust::Unsaid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(name: &str, is_remote: bool) -> Server {
        Server { name: name.to_owned(), is_remote }
    }

    // SPEC 6: phase 1 starts no server; each is named, in one override that holds whatever its name is.
    #[test]
    fn every_server_is_switched_off_by_name_in_one_value() {
        assert_eq!(all_off(&Surroundings::default()), None);
        let servers = vec![server("one", false), server("a.b \"c\"\u{1}\\", true)];
        let value = all_off(&Surroundings { servers }).unwrap();
        let table: Table = value.parse().unwrap();
        let named = table["mcp_servers"].as_table().unwrap();
        assert_eq!(named["one"]["enabled"].as_bool(), Some(false));
        assert_eq!(named["a.b \"c\"\u{1}\\"]["enabled"].as_bool(), Some(false));
        assert!(named["a.b \"c\"\u{1}\\"].get("command").is_none());
    }
}
