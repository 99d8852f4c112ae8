//! The real runtime, offline, through the adapter as a launch would use it.
//!
//! Runs where the pinned version was installed into `target/e2e`, in a network
//! namespace that holds nothing but the loopback; says so otherwise, and fails
//! where `SEATFORK_E2E=require`.
#![expect(clippy::print_stdout, reason = "a skipped test says so")]

use super::home::{Home, Lines, SOURCE, codex};
use crate::support::{block_on, env};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::codex::Codex;
use seatfork_adapters::process::{RunOptions, run};
use seatfork_adapters::{
    Adapter, Binary, Evidence, Phase1, Phase1Ask, SeatEnv, SeatWish, Surroundings,
};
use seatfork_schema::{ConversationId, Proof, ProofGrade, SourceId};
use seatfork_testkit::offline;
use std::path::Path;

const VERSION: &str = "0.171.0";

/// Says what is not tested; with `SEATFORK_E2E=require` that is a failure.
#[expect(clippy::disallowed_methods, reason = "a test reads the one variable that steers tests")]
fn skipped(why: &str) {
    let required = std::env::var("SEATFORK_E2E").is_ok_and(|value| value == "require");
    assert!(!required, "SEATFORK_E2E=require, but: {why}");
    println!("skipped: {why}");
}

/// The installed program, or `None` when this process is not the one to test: what there was to say was said.
fn offline_program(test: &str) -> Option<Utf8PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../target/e2e/codex-{VERSION}/node_modules/@openai"));
    let Some(program) = program_in(&folder) else {
        skipped(&format!("Codex {VERSION} is not installed in target/e2e"));
        return None;
    };
    if offline::is_offline().unwrap() {
        return Some(program);
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

/// The native program of the package for this platform.
fn program_in(folder: &Path) -> Option<Utf8PathBuf> {
    let list = |dir: &Path| -> Vec<_> {
        std::fs::read_dir(dir)
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
            .map(|one| one.path())
            .collect()
    };
    let vendors = list(folder).into_iter().flat_map(|package| list(&package.join("vendor")));
    let program = vendors.map(|target| target.join("bin/codex")).find(|path| path.is_file())?;
    Utf8PathBuf::from_path_buf(program).ok()
}

/// A home with the runtime on its PATH.
struct Real {
    home: Home,
    env: SeatEnv,
    binary: Binary,
    wish: SeatWish,
    /// In place of what the settings hold.
    surroundings: Option<Surroundings>,
}

/// What a launch made.
struct Made {
    child: ConversationId,
    evidence: Option<Evidence>,
    proof: Proof,
}

impl Real {
    fn new(program: &Utf8Path) -> Self {
        let home = Home::new();
        let bin = home.place.path.join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(program, bin.join("codex")).unwrap();
        let cwd = home.place.path.join("seat");
        std::fs::create_dir(&cwd).unwrap();
        let env = env(&[
            ("HOME", home.place.path.as_str()),
            ("PATH", &format!("{bin}:/usr/bin:/bin")),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
        ]);
        home.file("config.toml", CONFIG);
        let binary = block_on(Codex.probe(&env, &home.place.path.join("rig"))).unwrap();
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
        Self { home, env, binary, wish, surroundings: None }
    }

    /// Resolve, plan, run, learn, prove: the first three phases of a launch.
    fn launch(&self, source: Option<&ConversationId>) -> Result<Made, String> {
        block_on(async {
            let cwd = &self.wish.cwd;
            let source = source.cloned().map(SourceId::new);
            let evidence = match &source {
                Some(source) => Some(
                    Codex
                        .resolve(source, &self.env, cwd)
                        .await
                        .map_err(|error| error.to_string())?,
                ),
                None => None,
            };
            let wish = SeatWish { wants_fork: source.is_some(), ..self.wish.clone() };
            let surroundings = match &self.surroundings {
                Some(given) => given.clone(),
                None => Codex.surroundings(&wish, &self.env).await.unwrap(),
            };
            let nonce = uuid::Uuid::new_v4().simple().to_string();
            let planned = Codex
                .phase1(&Phase1Ask {
                    wish: &wish,
                    binary: &self.binary,
                    source: evidence.as_ref(),
                    child: None,
                    nonce: &nonce,
                    surroundings: &surroundings,
                })
                .map_err(|error| error.to_string())?;
            let Phase1::Headless(plan) = planned else { panic!("{planned:?}") };
            let fine = async |_| {};
            let done = run(&plan, &self.env, Some(&self.binary), RunOptions::default(), fine)
                .await
                .map_err(|error| error.to_string())?;
            let child = Codex
                .learn(source.as_ref(), None, &done.output)
                .map_err(|error| format!("{error}; {:?}", done.remarks))?;
            let proof = Codex
                .prove_untouched(evidence.as_ref(), &child, &self.env, cwd)
                .await
                .map_err(|error| error.to_string())?;
            let found = Codex.find_made(None, &nonce, &self.env).await.unwrap().unwrap();
            assert_eq!(found.conversation, child);
            assert_eq!(Codex.find_made(None, "another", &self.env).await.unwrap(), None);
            let later = Codex.prove(evidence.as_ref(), &child, &self.env, cwd).await;
            assert_eq!(later.unwrap(), proof);
            Ok(Made { child, evidence, proof })
        })
    }
}

/// A provider that nobody answers for: what is asked of a model here fails at once.
const CONFIG: &str = r#"
model = "fake-model"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
"#;

fn spoken() -> String {
    let mut lines = Lines::of(SOURCE);
    lines.turn("Remember CODEWORD-ONE", "I do").turn("and?", "still");
    lines.text
}

// SPEC 6: a fork and a fresh conversation are made headless, without a model, and proved; a fork of the fork as well.
#[test]
fn the_real_runtime_forks_and_starts_and_what_it_made_is_proved() {
    let test = "codex::real::the_real_runtime_forks_and_starts_and_what_it_made_is_proved";
    let Some(program) = offline_program(test) else { return };
    let real = Real::new(&program);
    println!("{:?}", real.binary);
    real.home.write(SOURCE, spoken());
    let first = real.launch(Some(&codex(SOURCE))).unwrap();
    println!("{}", first.proof);
    assert_eq!(first.proof.grade, ProofGrade::L3);
    assert_eq!(first.proof.inherited.unwrap().records, first.evidence.unwrap().effective_records);
    assert!(block_on(Codex.has_notice(&first.child, &real.env)).unwrap());
    let second = real.launch(Some(&first.child)).unwrap();
    println!("{}", second.proof);
    assert_eq!(second.proof.inherited.unwrap().depends_on.len(), 2);
    let fresh = real.launch(None).unwrap();
    println!("{}", fresh.proof);
    assert_eq!(fresh.proof.grade, ProofGrade::L1);
}

// SPEC 6: phase 1 starts no server and no hook, whatever the settings and the project name; a profile goes with it.
#[test]
fn phase_1_starts_nothing_beside_the_runtime() {
    let test = "codex::real::phase_1_starts_nothing_beside_the_runtime";
    let Some(program) = offline_program(test) else { return };
    let mut real = Real::new(&program);
    let dir = real.home.place.path.clone();
    let marker =
        real.home.place.script("marker.sh", &format!("echo \"$1\" >> {dir}/started; sleep 3"));
    let server = |name: &str| {
        format!(
            "[mcp_servers.{name}]\ncommand = \"{marker}\"\nargs = [\"{}\"]\n",
            name.trim_matches('"')
        )
    };
    let hook = format!(
        "[[hooks.SessionStart]]\nhooks = [{{ type = \"command\", command = \"{marker} hook\" }}]\n"
    );
    let remote =
        "[mcp_servers.far]\nurl = \"http://127.0.0.1:9/mcp\"\nbearer_token_env_var = \"NONE\"\n";
    let trusted = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", real.wish.cwd);
    let settings =
        format!("{CONFIG}{}{}{remote}{trusted}{hook}", server("one"), server("\"two.dot\""));
    real.home.file("config.toml", settings);
    real.home.file("fast.config.toml", server("profiled"));
    real.home.place.file("seat/.git/HEAD", "ref: refs/heads/main\n");
    real.home.place.file("seat/.codex/config.toml", server("project"));
    real.home.write(SOURCE, spoken());
    let started = || std::fs::read_to_string(dir.join("started")).unwrap_or_default();
    real.launch(Some(&codex(SOURCE))).unwrap();
    real.launch(None).unwrap();
    real.wish.codex_config_profile = Some("fast".to_owned());
    let made = real.launch(Some(&codex(SOURCE))).unwrap();
    assert_eq!(made.proof.grade, ProofGrade::L3);
    assert!(
        !block_on(Codex.has_notice(&made.child, &real.env)).unwrap(),
        "exec fork tells nothing"
    );
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(started(), "");
    // Without their names they would have been.
    real.surroundings = Some(Surroundings::default());
    real.launch(Some(&codex(SOURCE))).unwrap();
    for name in ["one", "two.dot", "project", "profiled"] {
        assert!(started().lines().any(|line| line == name), "{name}: {}", started());
    }
}

// SPEC 8: what the runtime copies of an older thread is proved by its content.
#[test]
fn an_older_thread_is_copied_and_proved_by_content() {
    let test = "codex::real::an_older_thread_is_copied_and_proved_by_content";
    let Some(program) = offline_program(test) else { return };
    let real = Real::new(&program);
    let mut older = String::new();
    for line in spoken().lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("ordinal");
        if let Some(payload) = line["payload"].as_object_mut() {
            payload.remove("history_mode");
        }
        older.push_str(&(line.to_string() + "\n"));
    }
    real.home.write(SOURCE, older);
    let made = real.launch(Some(&codex(SOURCE))).unwrap();
    println!("{}", made.proof);
    assert_eq!(made.proof.grade, ProofGrade::L3);
    assert!(!made.proof.inherited.unwrap().depends_on_source);
}

// SPEC 10: what the runtime refuses is told in its own words; a source whose history is not whole never reaches it.
#[test]
fn what_the_real_runtime_refuses_is_told_in_its_words() {
    let test = "codex::real::what_the_real_runtime_refuses_is_told_in_its_words";
    let Some(program) = offline_program(test) else { return };
    let real = Real::new(&program);
    let path = real.home.write(SOURCE, spoken());
    let first = real.launch(Some(&codex(SOURCE))).unwrap();
    // The runtime's own database still names the record that is gone.
    std::fs::remove_file(&path).unwrap();
    let told = |id: &ConversationId| real.launch(Some(id)).err().unwrap();
    assert!(told(&codex(SOURCE)).contains("source session id not found"));
    assert!(told(&first.child).contains("its history is not whole"));
    let evidence = first.evidence.unwrap();
    let (code, _) = super::home::failed(block_on(Codex.prove(
        Some(&evidence),
        &first.child,
        &real.env,
        &real.wish.cwd,
    )));
    assert_eq!(code, "source-gone");
}

// SPEC 6: a source the runtime has packed is forked like any other.
#[test]
fn a_packed_source_is_forked_by_the_real_runtime() {
    let test = "codex::real::a_packed_source_is_forked_by_the_real_runtime";
    let Some(program) = offline_program(test) else { return };
    let real = Real::new(&program);
    let path = real.home.write(SOURCE, spoken());
    let packed = super::resolve::packed(spoken().as_bytes());
    std::fs::write(format!("{path}.zst"), packed).unwrap();
    std::fs::remove_file(&path).unwrap();
    let made = real.launch(Some(&codex(SOURCE))).unwrap();
    println!("{} plain {}", made.proof, path.exists());
    assert_eq!(made.proof.grade, ProofGrade::L3);
}
