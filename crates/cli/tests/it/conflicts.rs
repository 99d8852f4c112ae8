//! Two commands, two rigs, one place: who may and who has to wait.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::claude::Claude;
use crate::rig::{Rig, place, seat};

// SPEC 7: a rig is its name and its directory; the same name from elsewhere is refused, --rig-name helps.
#[test]
fn a_rig_name_from_another_directory_is_refused() {
    let env = place();
    Rig::named("review").shell("a", ".").write(&env, "one/rig.yaml");
    Rig::named("review").shell("a", ".").write(&env, "two/rig.yaml");
    drop(env.run(["up", "one/rig.yaml"]).exits(0));
    let refused = env.run(["up", "two/rig.yaml"]).exits(5);
    insta::assert_snapshot!("conflicts__rig_name_taken", refused.to_string());
    let json = env.run(["up", "--json", "two/rig.yaml"]).exits(5).json();
    assert_eq!(env.run(["plan", "--json", "two/rig.yaml"]).exits(5).json()["code"], json["code"]);
    assert_eq!(json["code"], "rig-name-taken");
    let other =
        env.run(["up", "--json", "--rig-name", "review-two", "two/rig.yaml"]).exits(0).json();
    assert_eq!(seat(&other, "a")["seat"], "dev-a@review-two");
    assert_eq!(env.run(["ps", "--json"]).exits(0).json()["seats"].as_array().unwrap().len(), 2);
}

// SPEC 7: rig names that differ by letter case alone are two, and only one of them may be there: never merged.
#[test]
fn a_rig_name_in_other_letters_is_refused_and_names_no_other_rig() {
    let env = place();
    Rig::named("t").shell("a", ".").write(&env, "one/rig.yaml");
    Rig::named("T").shell("a", ".").write(&env, "one/other.yaml");
    drop(env.run(["up", "one/rig.yaml"]).exits(0));
    for verb in ["up", "plan"] {
        let refused = env.run([verb, "--json", "one/other.yaml"]).exits(5).json();
        assert_eq!(refused["code"], "rig-name-taken", "{verb}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains("letter case"), "{refused}");
    }
    drop(env.run(["down", "--forget", "T"]).exits(4));
    let ps = env.run(["ps", "--json", "t"]).exits(0).json();
    assert_eq!(seat(&ps, "a")["process_state"], "ready");
}

// SPEC 7, 13: two `up` at once make one launch a seat, whoever wins.
#[test]
fn two_at_once_make_one_launch_a_seat() {
    let env = place();
    let rig = ["a", "b", "c", "d"].iter().fold(Rig::named("review"), |rig, id| rig.shell(id, "."));
    rig.write(&env, "rig.yaml");
    let both = [env.start(["up", "--json", "rig.yaml"]), env.start(["up", "--json", "rig.yaml"])];
    for one in both {
        let ended = one.wait();
        let report = ended.json();
        assert!([0, 5].contains(&ended.code()), "{ended}");
        assert_eq!(report["ok"], json!(ended.code() == 0));
    }
    let ps = env.run(["ps", "--json"]).exits(0).json();
    for seat in ps["seats"].as_array().unwrap() {
        assert_eq!(seat["attempt"], 1, "{seat}");
    }
}

// SPEC 11: a store that is gone while seats of it live is a loud stop: never "no seats", never a second set.
// code: store-missing
#[test]
fn a_store_that_is_gone_while_its_seats_live_is_a_loud_stop() {
    let env = place();
    Rig::named("review").shell("a", ".").write(&env, "rig.yaml");
    let kept = env.root().join("state-kept");
    drop(env.run(["up", "--store", "s/seatfork.db", "rig.yaml"]).exits(0));
    fs::rename(env.root().join("s"), &kept).unwrap();
    for verb in
        [&["ps"] as &[_], &["reconcile"], &["down"], &["plan", "rig.yaml"], &["up", "rig.yaml"]]
    {
        let whole: Vec<_> = verb.iter().chain(&["--json", "--store", "s/seatfork.db"]).collect();
        let refused = env.run(whole).exits(7).json();
        assert_eq!(refused["code"], "store-missing", "{verb:?} {refused}");
        assert_eq!(refused["details"]["living"].as_array().unwrap().len(), 1, "{refused}");
    }
    assert!(!env.root().join("s").exists(), "nothing was made");
    let doctor = env.run(["doctor", "--json", "--store", "s/seatfork.db"]).json();
    assert_eq!(doctor["checks"][1]["status"], "problem", "{doctor}");
    fs::rename(&kept, env.root().join("s")).unwrap();
    let ps = env.run(["ps", "--json", "--store", "s/seatfork.db"]).exits(0).json();
    assert_eq!(seat(&ps, "a")["process_state"], "ready");
}

// SPEC 11: a store that is no store stops everything loudly: exit 7, never "no such seat".
// code: store-foreign, store-corrupt
#[test]
fn a_store_that_is_none_is_a_loud_stop() {
    let env = place();
    Rig::named("review").shell("a", ".").write(&env, "rig.yaml");
    env.write(
        "foreign.db",
        "this is no database, however long it may be, and never was one of ours\n",
    );
    env.write("empty.db", "");
    for private in ["foreign.db", "empty.db"] {
        fs::set_permissions(env.root().join(private), Permissions::from_mode(0o600)).unwrap();
    }
    for (file, code) in [("foreign.db", "store-foreign"), ("empty.db", "store-corrupt")] {
        for verb in [&["ps"] as &[_], &["verify"], &["lineage"], &["down"], &["up", "rig.yaml"]] {
            let store = ["--json", "--store", file];
            let whole: Vec<_> = verb.iter().chain(&store).collect();
            let refused = env.run(whole).exits(7).json();
            assert_eq!(refused["code"], code, "{verb:?} {refused}");
        }
    }
    let doctor = env.run(["doctor", "--json", "--store", "empty.db"]).json();
    assert_eq!(doctor["checks"][1]["status"], "problem", "{doctor}");
}

// SPEC 11: an id that an earlier build stored in other letters is read as it is, and what it hinders is said in words.
#[test]
fn a_store_that_knows_an_id_in_other_letters_is_read_and_said() {
    let claude = Claude::new();
    let id = "0b0165d7-cb4d-4650-90de-15c0a1ede9e6";
    claude.rig(&Rig::named("review").fork("reviewer", id));
    drop(claude.run(["up", "work/rig.yaml"]).exits(1));
    crate::earlier_build::respell(&claude.state_dir().join("seatfork.db"));
    for verb in ["ps", "lineage", "verify", "reconcile", "down", "doctor"] {
        let said = claude.run([verb, "--json"]);
        assert!([0, 1, 6].contains(&said.code()) && !said.stdout().contains("corrupt"), "{said}");
    }
    let whole = claude.run(["lineage", "--json", id]).exits(0).json();
    assert_eq!(whole["nodes"][0]["native_id"], id.to_uppercase());
    let up = seat(&claude.run(["up", "--json", "work/rig.yaml"]).exits(1).json(), "reviewer");
    let (message, hint) = (up["error"]["message"].as_str(), up["error"]["hint"].as_str());
    assert!(message.unwrap().contains("in other letters"), "{up:#}");
    assert!(hint.unwrap().contains("--store"), "{up:#}");
    claude.rig(&Rig::named("review").fork("reviewer", id).fork("second", &claude.parent.id));
    let up = claude.run(["up", "--json", "work/rig.yaml"]).exits(1).json();
    assert_eq!(
        seat(&up, "second")["continuity_outcome"],
        "forked",
        "another source is not hindered"
    );
}
