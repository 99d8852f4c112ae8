//! Plain shells, and what this build has no adapter for.

use crate::support::{Place, block_on, env};
use seatfork_adapters::terminal::{NO_FORK, Terminal};
use seatfork_adapters::{
    Adapter, Observation, PaneStart, Phase1, Phase1Ask, ProbeError, ProcessId, SeatWish,
    Surroundings, adapter_for, adapters,
};
use seatfork_schema::{ConversationId, NativeId, Proof, ProvedChild, Runtime, SeatToken, SourceId};

fn wish(wants_fork: bool) -> SeatWish {
    SeatWish {
        seat_name: "ops-shell@rig".to_owned(),
        cwd: "/".into(),
        model: None,
        codex_config_profile: None,
        permission: None,
        allow_yolo: false,
        wants_fork,
        notice: true,
    }
}

// SPEC 6: terminal refuses a fork with the fixed words, at every step where one could slip in.
// code: source-unsupported
#[test]
fn a_terminal_refuses_a_fork_at_every_step() {
    let place = Place::new();
    let shell = place.script("sh", "true");
    let binary =
        block_on(Terminal.probe(&env(&[("SHELL", shell.as_str())]), "/nowhere".into())).unwrap();
    assert_eq!(
        NO_FORK,
        "terminal runtime has no native fork primitive; remove session_source for terminal members"
    );
    let refused = Terminal.check(&wish(true), &binary).remove(0);
    assert_eq!(refused.to_string(), format!("ops-shell@rig: {NO_FORK}"));
    let source = SourceId::new(ConversationId::new(Runtime::Terminal, NativeId::new("x").unwrap()));
    let error = block_on(Terminal.resolve(&source, &env(&[]), "/".into())).unwrap_err();
    assert_eq!(error.code(), "source-unsupported");
    assert_eq!(error.to_string(), NO_FORK);
    let phase1 = |wants_fork| {
        Terminal.phase1(&Phase1Ask {
            wish: &wish(wants_fork),
            binary: &binary,
            source: None,
            child: None,
            nonce: "n",
            surroundings: &Surroundings::default(),
        })
    };
    assert!(phase1(true).is_err());
    assert_eq!(phase1(false).unwrap(), Phase1::NoConversation);
    assert!(Terminal.check(&wish(false), &binary).is_empty());
    assert!(Terminal.plan_child().is_none());
}

// SPEC 6: a terminal's pane is the user's own shell by absolute path, without a token; the system's where none is named.
#[test]
fn a_terminal_opens_the_users_own_shell() {
    let place = Place::new();
    let shell = place.script("bin/mysh", "true");
    let found =
        |shell: &str, root: &str| block_on(Terminal.probe(&env(&[("SHELL", shell)]), root.into()));
    let binary = found(shell.as_str(), "/nowhere").unwrap();
    let plan = Terminal.pane(&wish(false), &binary, PaneStart::Fresh).unwrap();
    assert_eq!(plan.argv, [shell.as_str()]);
    let any = found("", "/nowhere").unwrap();
    assert_eq!(any.path, camino::Utf8Path::new("/bin/sh").canonicalize_utf8().unwrap());
    assert!(any.version.contains("/bin/sh, for SHELL is not set"), "{}", any.version);
    for (bad, why) in [("sh", "relative"), ("/no/such/shell", "missing")] {
        assert!(found(bad, "/nowhere").is_err(), "{why}");
    }
    let text = place.file("bin/text", "no program");
    assert!(matches!(found(text.as_str(), "/nowhere"), Err(ProbeError::Io { .. })));
    assert!(found(shell.as_str(), place.path.as_str()).is_err(), "a shell in the rig's own tree");
    let conversation = ConversationId::new(Runtime::Terminal, NativeId::new("x").unwrap());
    let token = SeatToken::realize(&ProvedChild::fresh(conversation, Proof::new_id("")).unwrap());
    assert_eq!(
        Terminal.pane(&wish(false), &binary, PaneStart::Resume(&token)).unwrap_err().code,
        "plan-inconsistent"
    );
}

// SPEC 7: a terminal is up while its process lives, and gone when it is gone; it serves no conversation.
#[test]
fn a_terminal_is_up_or_gone() {
    let me = seatfork_process::entry(std::process::id()).unwrap().unwrap().id;
    assert_eq!(block_on(Terminal.observe(me, &env(&[]))), Observation::Up);
    let other = ProcessId { start: me.start + 1, ..me };
    assert_eq!(block_on(Terminal.observe(other, &env(&[]))), Observation::Gone);
}

// SPEC 7: what this build has no adapter for is said so, and nothing stands in its place.
#[test]
fn runtimes_without_an_adapter_are_not_in_this_build() {
    let built: Vec<Runtime> = adapters().map(Adapter::runtime).collect();
    assert_eq!(built, [Runtime::ClaudeCode, Runtime::Codex, Runtime::Terminal, Runtime::Pixir]);
    let refusal = adapter_for(Runtime::Pi).unwrap_err();
    assert_eq!(refusal.code, "not-in-this-build");
    assert_eq!(refusal.to_string(), "this build has no adapter for pi");
    for adapter in adapters() {
        let described = adapter.describe();
        assert_eq!(described.runtime, adapter.runtime());
        // A runtime that forks lets us choose the child's id, or holds the launch's mark (Codex).
        let chooses = adapter.plan_child().is_some();
        assert_eq!(described.fork, chooses || adapter.runtime() == Runtime::Codex);
    }
}
