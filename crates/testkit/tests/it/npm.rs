//! Pinned programs from npm, with an npm that is a script.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    thread,
};

use seatfork_testkit::npm::{CLAUDE_CODE, CODEX, NpmError, Package};

/// An npm that notes each run and installs a program that says `version`.
fn npm_that_installs(folder: &Path, version: &str) -> PathBuf {
    let program = "@anthropic-ai/claude-code-linux-x64/claude";
    npm_that_puts(folder, program, &format!("{version} (Claude Code)"))
}

/// An npm that notes each run and installs a program that says this.
fn npm_that_puts(folder: &Path, at: &str, says: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\necho run >> {runs}\nsleep 0.2\n\
         p=\"$3/node_modules/{at}\"\nmkdir -p \"${{p%/*}}\"\n\
         printf '#!/bin/sh\\necho \"{says}\"\\n' > \"$p\"\n\
         chmod +x \"$p\"\n",
        runs = folder.join("runs").display(),
    );
    program(&folder.join("npm"), &script)
}

fn program(path: &Path, text: &str) -> PathBuf {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_path_buf()
}

/// What is in the cache but lock files and what is being made.
fn kept(cache: &Path) -> Vec<String> {
    let names = fs::read_dir(cache).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.starts_with('.')).collect()
}

#[test]
fn a_version_is_installed_once_however_many_ask() {
    let folder = tempfile::tempdir().unwrap();
    let npm = npm_that_installs(folder.path(), "1.2.3");
    let cache = folder.path().join("cache");
    assert!(CLAUDE_CODE.cached(&cache, "1.2.3").is_none());
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let (npm, cache) = (npm.clone(), cache.clone());
            thread::spawn(move || CLAUDE_CODE.install_by(&npm, &cache, "1.2.3").unwrap())
        })
        .collect();
    let programs: Vec<_> = asking.into_iter().map(|asking| asking.join().unwrap()).collect();
    assert!(programs.iter().all(|p| p.is_absolute() && *p == programs[0]));
    assert_eq!(fs::read_to_string(folder.path().join("runs")).unwrap(), "run\n");
    assert_eq!(kept(&cache), ["claude-code-1.2.3"]);
    assert_eq!(CLAUDE_CODE.cached(&cache, "1.2.3").as_ref(), programs.first());
}

#[test]
fn each_runtime_is_found_where_its_package_has_it_and_is_kept_beside_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let codex = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
    let claude = "@anthropic-ai/claude-code-linux-x64/claude";
    let install = |package: &Package, at: &str, says: &str| {
        let npm = npm_that_puts(folder.path(), at, says);
        assert!(package.install_by(&npm, &cache, "1.2.3").unwrap().ends_with(at));
    };
    install(&CODEX, codex, "codex-cli 1.2.3");
    install(&CLAUDE_CODE, claude, "1.2.3 (Claude Code)");
    let mut kept = kept(&cache);
    kept.sort_unstable();
    assert_eq!(kept, ["claude-code-1.2.3", "codex-1.2.3"]);
    assert!(CODEX.cached(&cache, "1.2.3").unwrap().ends_with(codex));
}

#[test]
fn what_could_not_be_installed_is_said_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let said = |npm: &Path| CLAUDE_CODE.install_by(npm, &cache, "1.2.3").unwrap_err();

    let absent = said(&folder.path().join("no-npm"));
    assert!(matches!(absent, NpmError::NpmAbsent { .. }), "{absent}");
    assert!(absent.to_string().contains("no npm is on the PATH"), "{absent}");

    let failing = "#!/bin/sh\necho 'npm error 404 no such version' >&2; exit 1\n";
    let failed = said(&program(&folder.path().join("failing"), failing));
    assert!(failed.to_string().contains("404 no such version"), "{failed}");

    let empty = said(&program(&folder.path().join("empty"), "#!/bin/sh\n"));
    assert!(matches!(empty, NpmError::NoProgram { .. }), "{empty}");

    let wrong = said(&npm_that_installs(folder.path(), "9.9.9"));
    assert!(matches!(wrong, NpmError::WrongVersion { .. }), "{wrong}");
    assert_eq!(kept(&cache), [""; 0]);
    let left = fs::read_dir(&cache).unwrap().count();
    assert_eq!(left, 1, "something but the lock is left");
}

// A version npm does not have is another thing than an npm that could not ask.
#[test]
fn a_version_that_is_not_offered_is_told_from_an_npm_that_failed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    for (said, not_offered) in [
        ("npm error code ETARGET", true),
        ("npm error code E404", true),
        ("npm error code ENOTFOUND", false),
        ("npm error network E404 is not what happened", false),
    ] {
        let npm =
            program(&folder.path().join("npm"), &format!("#!/bin/sh\necho '{said}' >&2; exit 1\n"));
        let error = CLAUDE_CODE.install_by(&npm, &cache, "1.2.3").unwrap_err();
        assert_eq!(error.is_not_offered(), not_offered, "{error}");
    }
}
