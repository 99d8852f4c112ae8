//! Children are planned as data, and stand whole or not at all.

use super::home::{Home, SEED, conversation, embedded, nothing, planned};
use crate::support::block_on;
use camino::Utf8PathBuf;
use seatfork_adapters::pixir::Pixir;
use seatfork_adapters::{Adapter, Posture, SeatWish};
use seatfork_schema::PlannedChild;
use seatfork_sessionlog::{SessionId, Workspace, boundary_text, current_posture};
use seatfork_testkit::pixir::{self, check_cold, check_warm_start, fold};

// SPEC 6: the plans of a fork and of a fresh log, whole.
#[test]
fn a_plan_is_data_from_the_spec_alone() {
    let home = Home::new();
    let source = home.resolve(SEED).unwrap();
    let child = PlannedChild::new(conversation("/srv/children".into(), "child"));
    let fork = planned(&home.wish(Some("builtin:open")), Some(&source), &child).unwrap();
    let fresh = SeatWish { wants_fork: false, ..home.wish(None) };
    let fresh = planned(&fresh, None, &child).unwrap();
    let plans = serde_json::json!({"fork": fork, "fresh": fresh});
    let text = serde_json::to_string_pretty(&plans).unwrap();
    insta::assert_snapshot!("pixir__plans", text.replace(home.cwd().as_str(), "[cwd]"));
}

// SPEC 6: permissions come from the spec alone, as the posture of the log; none is without bounds.
// code: permission-policy-unsupported
#[test]
fn every_policy_is_a_posture_or_is_refused() {
    let home = Home::new();
    let source = home.resolve(SEED).unwrap();
    let child = PlannedChild::new(home.id("child"));
    for (policy, posture, mode) in [
        (None, Posture::Ask, "ask"),
        (Some("none"), Posture::Ask, "ask"),
        (Some("builtin:standard"), Posture::Ask, "ask"),
        (Some("builtin:locked"), Posture::ReadOnly, "read_only"),
        (Some("builtin:open"), Posture::AutoInWorkspace, "auto"),
    ] {
        let wish = home.wish(policy);
        assert!(Pixir.check(&wish, &embedded()).is_empty(), "{policy:?}");
        let plan = planned(&wish, Some(&source), &child).unwrap();
        assert_eq!(plan.posture, posture, "{policy:?}");
        block_on(Pixir.write(&plan)).unwrap();
        let workspace = Workspace::open(&home.cwd()).unwrap();
        let held = current_posture(&workspace, &SessionId::new("child").unwrap()).unwrap();
        assert_eq!(held.permission_mode, mode);
        assert_eq!(held.write_policy.is_some(), posture == Posture::AutoInWorkspace);
        let flags = Pixir.permission_flags(&wish, &embedded()).unwrap();
        assert_eq!(flags[0], format!("permission_mode={mode}"));
        std::fs::remove_file(home.files.log("child")).unwrap();
    }
    for (policy, yolo) in [("builtin:yolo", false), ("builtin:yolo", true), ("policy.yaml", false)]
    {
        let wish = SeatWish { allow_yolo: yolo, ..home.wish(Some(policy)) };
        let refused = Pixir.check(&wish, &embedded()).remove(0);
        assert_eq!(refused.code, "permission-policy-unsupported", "{refused}");
        assert!(planned(&wish, Some(&source), &child).is_err());
    }
    let model = SeatWish { model: Some("m".to_owned()), ..home.wish(None) };
    assert_eq!(Pixir.check(&model, &embedded()).remove(0).code, "not-in-this-build");
}

// SPEC 6: a fork without its source, a source for a fresh log, the source's own id, no workspace: no plan.
#[test]
fn plans_that_would_do_something_else_are_refused() {
    let home = Home::new();
    let source = home.resolve(SEED).unwrap();
    let child = |id: &str| PlannedChild::new(home.id(id));
    let fresh = SeatWish { wants_fork: false, ..home.wish(None) };
    let code = |refused: Result<_, seatfork_adapters::PlanRefusal>| refused.unwrap_err().code;
    assert_eq!(code(planned(&home.wish(None), None, &child("c"))), "plan-inconsistent");
    assert_eq!(code(planned(&fresh, Some(&source), &child("c"))), "plan-inconsistent");
    assert_eq!(code(planned(&home.wish(None), Some(&source), &child(SEED))), "child-is-source");
    let shouted = child(&SEED.to_uppercase());
    assert_eq!(code(planned(&home.wish(None), Some(&source), &shouted)), "child-is-source");
    assert_eq!(
        code(planned(&home.wish(None), Some(&source), &Pixir.plan_child().unwrap())),
        "plan-inconsistent",
        "an id without its workspace"
    );
}

// SPEC 6: every planned id is new.
#[test]
fn planned_ids_differ() {
    let ids: std::collections::BTreeSet<_> =
        (0..200).map(|_| Pixir.plan_child().unwrap().conversation().clone()).collect();
    assert_eq!(ids.len(), 200);
}

// SPEC 6: the child of a seat is a warm start by the documented rules, in the cwd's workspace and in another.
#[test]
fn a_written_child_is_one_by_the_documented_rules() {
    let home = Home::new();
    let source = home.proved("child");
    let text = boundary_text(&SessionId::new(SEED).unwrap());
    let here = check_warm_start((&home.files, SEED), (&home.files, "child"), &text);
    assert_eq!(here, [""; 0]);
    let elsewhere = pixir::Workspace::new();
    let path = Utf8PathBuf::from_path_buf(elsewhere.real()).unwrap();
    let child = PlannedChild::new(conversation(&path, "child"));
    let plan = planned(&home.wish(None), Some(&source), &child).unwrap();
    block_on(Pixir.write(&plan)).unwrap();
    let there = check_warm_start((&home.files, SEED), (&elsewhere, "child"), &text);
    assert_eq!(there, [""; 0]);
    let (nothing, cwd) = (nothing(), home.cwd());
    let proved = Pixir.prove_untouched(Some(&source), child.conversation(), &nothing, &cwd);
    let proved = block_on(proved).unwrap();
    assert_eq!(proved.detail, "content proved 7/7, not inherited: 1 provider_usage");
}

// SPEC 6: a fresh seat is an empty log with its own posture.
#[test]
fn a_fresh_log_holds_its_own_posture_and_nothing_else() {
    let home = Home::new();
    home.make(None, "fresh").unwrap();
    assert_eq!(check_cold((&home.files, "fresh")), [""; 0]);
    assert_eq!(fold(&home.files.log("fresh")).unwrap().len(), 1);
    let proof = home.untouched(None, "fresh").unwrap();
    assert_eq!((proof.grade.as_str(), proof.inherited), ("L1", None));
}

// SPEC 10: row 4, an id that is taken or being written, a seed that is gone: refused, everything as it was.
// code: child-id-taken, phase1-failed
#[test]
fn a_child_that_cannot_be_written_leaves_everything_as_it_was() {
    let home = Home::new();
    let source = home.proved("child");
    let before = home.files.everything();
    let refused = home.make(Some(&source), "child").unwrap_err();
    assert_eq!(refused.code, "child-id-taken", "{refused}");
    let refused = home.make(None, "child").unwrap_err();
    assert_eq!(refused.code, "child-id-taken", "{refused}");
    assert_eq!(home.files.everything(), before);
    std::fs::remove_file(home.files.log(SEED)).unwrap();
    let before = home.files.everything();
    let refused = home.make(Some(&source), "another").unwrap_err();
    assert_eq!(refused.code, "phase1-failed", "{refused}");
    assert_eq!(home.files.everything(), before);
}
