//! Whether a forked seat is told what it is (SPEC 6 "Notice").

use seatfork_testkit::fake::codex::recorded_thread;
use seatfork_testkit::fake::{FakeCodex, fake_codex_binary};

use crate::rig::{Rig, place, seat};

// SPEC 6: a fork is told what it is, once, on its row and in `ps`; `--no-notice` leaves it out, recorded.
#[test]
fn no_notice_leaves_it_out_and_that_is_recorded() {
    let mut env = place();
    let work = env.dir("work");
    let codex = FakeCodex::ready(&mut env, fake_codex_binary());
    let source = recorded_thread(&env, &work, 3);
    let rig = |id: &str| {
        Rig::named("review")
            .member(&format!(
                "{{id: {id}, runtime: codex, agent_ref: a.yaml, profile: p, cwd: ., \
                 session_source: {{mode: fork, ref: {{kind: native_id, value: '{}'}}}}}}",
                source.id
            ))
            .write(&env, "work/rig.yaml")
    };
    for (id, flags, notice) in
        [("told", &[] as &[&str], "injected"), ("untold", &["--no-notice"], "none")]
    {
        rig(id);
        let args = ["up", "--json", "work/rig.yaml"].into_iter().chain(flags.iter().copied());
        let up = env.run(args).exits(0).json();
        assert_eq!(seat(&up, id)["notice"], notice, "{up:#}");
        let ps = env.run(["ps", "--json"]).exits(0).json();
        assert_eq!(seat(&ps, id)["notice"], notice, "{ps:#}");
    }
    drop(codex);
}
