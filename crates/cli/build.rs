//! Gives the build its identity: the commit it was made from, and whether the tree was changed (SPEC 13).

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    // The log of HEAD changes with every commit and checkout; HEAD itself only with a checkout.
    if let Some(head) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={head}");
    }
    // Outside a checkout, as from a released package, there is no commit to name, and none is claimed.
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let dirty =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    let version = env!("CARGO_PKG_VERSION");
    let changed = if dirty { ", changed" } else { "" };
    println!("cargo::rustc-env=SEATFORK_VERSION={version} ({commit}{changed})");
}

#[expect(
    clippy::disallowed_methods,
    reason = "a build script asks git once, before anything of ours runs"
)]
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
