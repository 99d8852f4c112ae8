//! The real runtime, offline, through the adapter as a launch would use it.
//!
//! Runs where the pinned versions were installed into `target/e2e`, in a
//! network namespace that holds nothing but the loopback; says so otherwise,
//! for each version, and fails where `SEATFORK_E2E=require`.
#![expect(clippy::print_stdout, reason = "a skipped test says so")]

use super::home::{Home, claude};
use super::made::{SOURCE, answers, assistant, calls, checkpoint, row, text, user};
use super::recorded::recordings;
use crate::support::{block_on, env};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::claude_code::ClaudeCode;
use seatfork_adapters::process::{RunOptions, run};
use seatfork_adapters::{
    Adapter, Binary, Evidence, Observation, Phase1, Phase1Ask, SeatEnv, SeatWish, Surroundings,
};
use seatfork_schema::{ConversationId, Proof, ProofGrade, SourceId};
use seatfork_testkit::{npm, offline};
use serde_json::Value;
use std::path::Path;

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.332"];

/// Says what is not tested; with `SEATFORK_E2E=require` that is a failure.
#[expect(clippy::disallowed_methods, reason = "a test reads the one variable that steers tests")]
fn skipped(why: &str) {
    let required = std::env::var("SEATFORK_E2E").is_ok_and(|value| value == "require");
    assert!(!required, "SEATFORK_E2E=require, but: {why}");
    println!("skipped: {why}");
}

/// The installed versions, or `None` when this process is not the one to test: what there was to say was said.
fn offline_versions(test: &str) -> Option<Vec<(&'static str, Utf8PathBuf)>> {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/e2e");
    let found: Vec<_> = VERSIONS
        .into_iter()
        .filter_map(|version| {
            let path = npm::CLAUDE_CODE.cached(&cache, version)?;
            Some((version, Utf8PathBuf::from_path_buf(path).unwrap()))
        })
        .collect();
    for version in VERSIONS.iter().filter(|one| found.iter().all(|(version, _)| version != *one)) {
        skipped(&format!("Claude Code {version} is not installed in target/e2e"));
    }
    if found.is_empty() {
        return None;
    }
    if offline::is_offline().unwrap() {
        return Some(found);
    }
    let again = offline::command_offline(&std::env::current_exe().unwrap());
    let again = match again {
        Ok(mut again) => again.args([test, "--exact", "--nocapture"]).status().unwrap(),
        Err(error) => {
            skipped(&format!("cannot {error}"));
            return None;
        }
    };
    assert!(again.success(), "the same test, offline");
    None
}

/// A home with one version of the runtime on its PATH.
struct Real {
    home: Home,
    env: SeatEnv,
    binary: Binary,
    wish: SeatWish,
}

impl Real {
    fn new(program: &Utf8Path) -> Self {
        let home = Home::new();
        let bin = home.place.path.join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(program, bin.join("claude")).unwrap();
        let cwd = home.place.path.join("seat");
        std::fs::create_dir(&cwd).unwrap();
        let env = env(&[
            ("HOME", home.place.path.as_str()),
            ("PATH", &format!("{bin}:/usr/bin:/bin")),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
            ("ANTHROPIC_AUTH_TOKEN", "never-used"),
        ]);
        let binary = block_on(ClaudeCode.probe(&env, &home.place.path.join("rig"))).unwrap();
        let wish = SeatWish {
            seat_name: "dev-reviewer@rig".to_owned(),
            cwd,
            model: None,
            codex_config_profile: None,
            permission: None,
            allow_yolo: false,
            wants_fork: true,
            notice: true,
        };
        Self { home, env, binary, wish }
    }

    /// Resolve, plan, run, learn, prove: the first three phases of a launch.
    fn launch(
        &self,
        source: Option<&ConversationId>,
    ) -> Result<(ConversationId, Option<Evidence>, Proof), String> {
        block_on(async {
            let cwd = &self.wish.cwd;
            let source = source.cloned().map(SourceId::new);
            let evidence = match &source {
                Some(source) => Some(
                    ClaudeCode
                        .resolve(source, &self.env, cwd)
                        .await
                        .map_err(|error| error.to_string())?,
                ),
                None => None,
            };
            let child = ClaudeCode.plan_child().unwrap();
            let wish = SeatWish { wants_fork: source.is_some(), ..self.wish.clone() };
            let nonce = uuid::Uuid::new_v4().simple().to_string();
            let planned = ClaudeCode
                .phase1(&Phase1Ask {
                    wish: &wish,
                    binary: &self.binary,
                    source: evidence.as_ref(),
                    child: Some(&child),
                    nonce: &nonce,
                    surroundings: &Surroundings::default(),
                })
                .map_err(|error| error.to_string())?;
            let Phase1::Headless(plan) = planned else { panic!("{planned:?}") };
            let fine = async |_| {};
            let done = run(&plan, &self.env, Some(&self.binary), RunOptions::default(), fine)
                .await
                .map_err(|error| error.to_string())?;
            // On a busy machine programs it asked about the directory outlive it for a moment.
            assert!(done.leftovers.iter().all(|one| one.ended), "{:?}", done.leftovers);
            let made = ClaudeCode
                .learn(source.as_ref(), Some(&child), &done.output)
                .map_err(|error| error.to_string())?;
            let proof = ClaudeCode
                .prove_untouched(evidence.as_ref(), &made, &self.env, cwd)
                .await
                .map_err(|error| error.to_string())?;
            let found = ClaudeCode.find_made(Some(&child), "", &self.env).await.unwrap().unwrap();
            assert_eq!(found.conversation, made);
            let later = ClaudeCode.prove(evidence.as_ref(), &made, &self.env, cwd).await;
            assert_eq!(later.unwrap(), proof);
            Ok((made, evidence, proof))
        })
    }

    /// Forks rows that were written as a source; what was inherited against what was foretold.
    fn fork(&self, id: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.home.write(id, &bytes);
        let told = match self.launch(Some(&claude(id))) {
            Ok((_, evidence, proof)) => {
                assert_eq!(proof.grade, ProofGrade::L3);
                let foretold = evidence.unwrap().effective_records;
                let inherited = proof.inherited.unwrap();
                let mut told = format!("{} of {foretold} foretold", inherited.records);
                let reasons = inherited.not_inherited.join(", ");
                if !reasons.is_empty() {
                    told.push_str("; not: ");
                    told.push_str(&reasons);
                }
                told
            }
            Err(why) => why.replace(self.home.place.path.as_str(), "~"),
        };
        assert_eq!(std::fs::read(path).unwrap(), bytes.as_ref(), "the source is untouched");
        told
    }
}

/// A few kinds that differ; every recording was tried once with the other version.
const KINDS: [&str; 4] =
    ["compacted-once", "parallel-tools", "rewound-last-prompt-names-old-inner", "unanswered"];

// SPEC 6, 8: a version forks what the other wrote, and the fork is proved.
#[test]
fn the_other_versions_conversations_are_forked_and_proved() {
    let Some(versions) =
        offline_versions("claude::real::the_other_versions_conversations_are_forked_and_proved")
    else {
        return;
    };
    let mut wrong = Vec::new();
    for (version, program) in versions {
        let real = Real::new(&program);
        assert_eq!(real.binary.version, version);
        for (name, dir, facts) in recordings() {
            if facts.version == version || !KINDS.contains(&dir.file_name().unwrap()) {
                continue;
            }
            let bytes = std::fs::read(dir.join("source.jsonl")).unwrap();
            let told = real.fork(&facts.source_id, bytes);
            println!("{version} forks {name}: {told}");
            if !told.contains("foretold") {
                wrong.push(format!("{version} forks {name}: {told}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Conversations in states that no recording has.
fn states() -> Vec<(&'static str, Vec<Value>)> {
    let talk =
        || vec![user(1, None), assistant(2, Some(1)), user(3, Some(2)), assistant(4, Some(3))];
    let with = |more: &[Value]| [talk(), more.to_vec()].concat();
    let a = || calls(5, 4, "r", &["a"]);
    let b = || calls(6, 5, "r", &["b"]);
    let mut thinking = assistant(5, Some(4));
    thinking["message"]["content"] =
        serde_json::json!([{"type": "thinking", "thinking": "hm", "signature": "s"}]);
    let mut halved = talk();
    halved[2]["message"]["content"] = serde_json::json!("HALF");
    let mut rows = vec![
        ("a call without an answer", with(&[a()])),
        ("two calls, one answer", with(&[a(), b(), answers(7, 5, &["a"])])),
        (
            "answers in the other order",
            with(&[a(), b(), answers(7, 6, &["b"]), answers(8, 5, &["a"]), assistant(9, Some(8))]),
        ),
        (
            "answers between the calls",
            with(&[a(), answers(7, 5, &["a"]), b(), answers(8, 6, &["b"]), assistant(9, Some(8))]),
        ),
        (
            "an attachment under the other answer",
            with(&[
                a(),
                b(),
                answers(7, 5, &["a"]),
                row("attachment", 10, Some(7)),
                answers(8, 6, &["b"]),
                assistant(9, Some(8)),
            ]),
        ),
        ("a note below an open call", with(&[a(), row("system", 6, Some(5))])),
        ("a note below an answer", with(&[a(), answers(6, 5, &["a"]), row("system", 7, Some(6))])),
        (
            "an attachment below an answer",
            with(&[a(), answers(6, 5, &["a"]), row("attachment", 7, Some(6))]),
        ),
        ("nothing but thinking at the tip", with(&[thinking])),
        ("notes below the tip", with(&[row("system", 5, Some(4)), row("attachment", 6, Some(5))])),
        (
            "notes on two branches below the tip",
            with(&[
                row("system", 5, Some(4)),
                row("attachment", 6, Some(4)),
                checkpoint(Some(4), false),
            ]),
        ),
        (
            "progress on the chain",
            with(&[row("progress", 5, Some(4)), user(6, Some(5)), assistant(7, Some(6))]),
        ),
        ("a user's turn at the tip", with(&[user(5, Some(4))])),
        (
            "a repeated row",
            with(&[
                talk()[1].clone(),
                user(5, Some(4)),
                assistant(6, Some(5)),
                checkpoint(Some(6), false),
            ]),
        ),
        (
            "cleared and gone on",
            with(&[checkpoint(None, true), user(5, None), assistant(6, Some(5))]),
        ),
        ("explicitly rewound", with(&[checkpoint(Some(2), true)])),
        ("text cut in a pair", halved),
    ];
    rows.sort_by_key(|(name, _)| *name);
    rows
}

// SPEC 8: conversations caught in the middle of something are forked and proved, and what was left out is said.
#[test]
fn conversations_in_every_state_are_forked_and_proved() {
    let Some(versions) =
        offline_versions("claude::real::conversations_in_every_state_are_forked_and_proved")
    else {
        return;
    };
    let mut table = Vec::new();
    for (version, program) in &versions {
        let real = Real::new(program);
        for (name, rows) in states() {
            // In all others both versions were seen to do the same.
            let differs = ["call", "calls", "answer", "thinking"];
            if *version == VERSIONS[0] && !differs.iter().any(|word| name.contains(word)) {
                continue;
            }
            let bytes = text(&rows).replace("\"HALF\"", "\"half of \\ud83d\"");
            table.push(format!("{version} {name}: {}", real.fork(SOURCE, bytes)));
        }
        // A fork of a fork, taken at once.
        let first = real.launch(Some(&claude(SOURCE))).unwrap().0;
        let (second, _, proof) = real.launch(Some(&first)).unwrap();
        assert_ne!(first, second);
        table.push(format!("{version} a fork of a fork: {}", proof.detail));
        let (fresh, _, proof) = real.launch(None).unwrap();
        let id = fresh.native_id.to_string();
        table.push(format!("{version} fresh: {proof}").replace(&id, "ID"));
        // Nothing runs and nothing is in use after phase 1.
        assert!(block_on(ClaudeCode.in_use(&fresh, &real.env)).unwrap().is_none());
        let me = seatfork_process::entry(std::process::id()).unwrap().unwrap().id;
        assert_eq!(block_on(ClaudeCode.observe(me, &real.env)), Observation::Unknown);
    }
    let wrong: Vec<&String> = table
        .iter()
        .filter(|line| !EXPECTED.lines().any(|expected| expected == line.as_str()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Where the versions differ they were seen to.
const EXPECTED: &str = "
2.1.197 a call without an answer: 4 of 5 foretold; not: 1 of a tool call without an answer
2.1.197 a fork of a fork: content proved 11/11
2.1.197 a note below an answer: 7 of 7 foretold
2.1.197 a note below an open call: 5 of 6 foretold; not: 1 of a tool call without an answer
2.1.197 a repeated row: 6 of 6 foretold; not: 1 repeated
2.1.197 a user's turn at the tip: 5 of 5 foretold
2.1.197 an attachment below an answer: 7 of 7 foretold
2.1.197 an attachment under the other answer: 9 of 9 foretold; not: 1 on other branches
2.1.197 answers between the calls: 9 of 9 foretold
2.1.197 answers in the other order: 9 of 9 foretold
2.1.197 cleared and gone on: 2 of 2 foretold; not: 4 on other branches
2.1.197 explicitly rewound: 2 of 2 foretold; not: 2 on other branches
2.1.197 fresh: L1 proved: new conversation ID, no source used
2.1.197 notes below the tip: 6 of 6 foretold
2.1.197 notes on two branches below the tip: 6 of 5 foretold
2.1.197 nothing but thinking at the tip: 4 of 5 foretold; not: 1 of a reply that says nothing
2.1.197 progress on the chain: 6 of 6 foretold; not: 1 of progress
2.1.197 text cut in a pair: 4 of 4 foretold
2.1.197 two calls, one answer: 6 of 7 foretold; not: 1 of a tool call without an answer
2.1.332 a call without an answer: 5 of 5 foretold
2.1.332 a fork of a fork: content proved 12/12
2.1.332 a note below an answer: 7 of 7 foretold
2.1.332 a note below an open call: 6 of 6 foretold
2.1.332 a repeated row: 6 of 6 foretold; not: 1 repeated
2.1.332 a user's turn at the tip: 5 of 5 foretold
2.1.332 an attachment below an answer: 7 of 7 foretold
2.1.332 an attachment under the other answer: 10 of 9 foretold
2.1.332 answers between the calls: 9 of 9 foretold
2.1.332 answers in the other order: 9 of 9 foretold
2.1.332 cleared and gone on: 2 of 2 foretold; not: 4 on other branches
2.1.332 explicitly rewound: 2 of 2 foretold; not: 2 on other branches
2.1.332 fresh: L1 proved: new conversation ID, no source used
2.1.332 notes below the tip: 6 of 6 foretold
2.1.332 notes on two branches below the tip: 6 of 5 foretold
2.1.332 nothing but thinking at the tip: 4 of 5 foretold; not: 1 of a reply that says nothing
2.1.332 progress on the chain: 6 of 6 foretold; not: 1 of progress
2.1.332 text cut in a pair: 4 of 4 foretold
2.1.332 two calls, one answer: 7 of 7 foretold
";
