//! The rig that works: two forks, one fresh seat, one terminal.

use std::time::Duration;

use crate::support::{Files, Place, Rig, each_version, seat, text};
use seatfork_testkit::claude_home::ClaudeHome as _;

const TURNS: usize = 40;

#[test]
fn two_forks_a_fresh_seat_and_a_terminal_come_up_proved() {
    each_version("two forks, one fresh, one terminal", |runtime| {
        let place = Place::new(runtime);
        let parent = place.make_parent(&place.work, TURNS);
        place.rig(
            &Rig::named("review")
                .fork("reviewer", &parent.id)
                .fork("checker", &parent.id)
                .fresh("scribe")
                .terminal("shell"),
        );
        let before = Files::below([&parent.path]);
        let (code, up) = place.up();
        assert_eq!(code, 0, "{up:#}");
        eprintln!("{up:#}");
        assert_eq!(before.changes(&Files::below([&parent.path])), [""; 0]);
        for member in ["reviewer", "checker"] {
            let token = text(seat(&up, member), "/token");
            place.stub.forget();
            place.pane(member).type_line("What do you remember?");
            let seen = place.stub.wait_for(
                |request| request.is_turn() && request.session_id() == Some(token),
                Duration::from_secs(20),
            );
            assert_eq!(seen.unwrap().user_codewords(), parent.codewords);
        }
        eprintln!("{:?}", place.live_sessions());
    });
}
