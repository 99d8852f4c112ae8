//! What the runtime, real or fake, was asked: a script on the PATH writes each call down, and can hold those that
//! make a conversation until it is told to let them go.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::Place;
use super::runtime::Kind;

const PATIENCE: Duration = Duration::from_secs(20);
const STEP: Duration = Duration::from_millis(10);

/// The calls written down in one place.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    folder: PathBuf,
    kind: Kind,
}

/// One call. The runtime runs in the process that was called.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Its process.
    pub(crate) pid: u32,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Its environment as it was started.
    pub(crate) env: BTreeMap<String, String>,
    /// The processes that were making a conversation when this one came to make one.
    pub(crate) beside: Vec<u32>,
    at: SystemTime,
}

impl Call {
    /// The value after an option.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        let at = self.args.iter().position(|arg| arg == name)?;
        self.args.get(at + 1).map(String::as_str)
    }

    /// Whether it was only asked who it is and what it can do.
    pub(crate) fn asks(&self) -> bool {
        ["--version", "--help", "generate-json-schema"].iter().any(|arg| self.has(arg))
    }

    /// Whether it was to make a conversation.
    fn makes(&self, kind: Kind) -> bool {
        match kind {
            Kind::Claude => self.has("-p"),
            Kind::Codex => !self.asks() && (self.has("app-server") || self.has("exec")),
        }
    }

    /// Whether an argument is there.
    pub(crate) fn has(&self, arg: &str) -> bool {
        self.args.iter().any(|one| one == arg)
    }
}

impl Calls {
    /// Puts the script in front of the runtime that is on a place's PATH now.
    pub(crate) fn watch(place: &Place) -> Self {
        let folder = place.dir("calls");
        let kind = place.runtime.kind;
        let name = kind.program();
        let program = fs::canonicalize(place.root().join("bin").join(name)).unwrap();
        let makes = match kind {
            Kind::Claude => "*' -p '*)",
            Kind::Codex => {
                "*' --help '*|*' generate-json-schema '*) ;; *' app-server '*|*' exec fork '*)"
            }
        };
        let text = format!(
            r#"#!/bin/sh
calls='{folder}'
/bin/cat /proc/$$/environ >"$calls/$$.environ"
printf '%s\0' "$@" >"$calls/.$$"
/bin/mv "$calls/.$$" "$calls/$$.args"
case " $* " in {makes}
    for made in "$calls"/*.made; do
        made=${{made##*/}}
        [ -e "/proc/${{made%.made}}/exe" ] && echo "${{made%.made}}" >>"$calls/$$.beside"
    done
    : >"$calls/$$.made"
    while [ -e "$calls/held" ]; do /bin/sleep 0.02; done
esac
exec '{program}' "$@"
"#,
            folder = folder.display(),
            program = program.display(),
        );
        let script = place.write(&format!("watched/{name}"), text);
        fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        place.install(name, &script);
        Self { folder, kind }
    }

    /// Whoever is to make a conversation waits from now on.
    pub(crate) fn hold(&self) {
        fs::write(self.folder.join("held"), "").unwrap();
    }

    /// They go on.
    pub(crate) fn let_go(&self) {
        fs::remove_file(self.folder.join("held")).unwrap();
    }

    /// The calls that were to make a conversation, in order.
    pub(crate) fn made(&self) -> Vec<Call> {
        self.all().into_iter().filter(|call| call.makes(self.kind)).collect()
    }

    /// The calls that opened a pane, in order.
    pub(crate) fn panes(&self) -> Vec<Call> {
        let opens = |call: &Call| !call.makes(self.kind) && !call.asks();
        self.all().into_iter().filter(opens).collect()
    }

    /// Waits until so many conversations were to be made; the last of these calls.
    #[track_caller]
    pub(crate) fn wait_for_made(&self, count: usize) -> Call {
        let end = Instant::now() + PATIENCE;
        loop {
            let made = self.made();
            if made.len() >= count {
                return made[count - 1].clone();
            }
            assert!(Instant::now() < end, "{} of {count} calls came: {made:#?}", made.len());
            thread::sleep(STEP);
        }
    }

    /// Every call, in order.
    pub(crate) fn all(&self) -> Vec<Call> {
        let entries = fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path());
        let mut calls: Vec<_> = entries
            .filter(|path| path.extension().is_some_and(|extension| extension == "args"))
            .map(|path| read(&path))
            .collect();
        calls.sort_by_key(|call| call.at);
        calls
    }
}

fn read(args: &Path) -> Call {
    let environ = words(&args.with_extension("environ"));
    // No file: nobody was.
    let beside = fs::read_to_string(args.with_extension("beside")).unwrap_or_default();
    let pairs = environ.iter().filter_map(|pair| pair.split_once('='));
    Call {
        pid: args.file_stem().unwrap().to_str().unwrap().parse().unwrap(),
        args: words(args),
        env: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        beside: beside.lines().map(|pid| pid.parse().unwrap()).collect(),
        at: fs::metadata(args).unwrap().modified().unwrap(),
    }
}

fn words(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}
