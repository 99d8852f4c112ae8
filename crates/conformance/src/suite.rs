//! The checks (SPEC 6 "Conformance suite").

mod failing;
mod hostile;
mod making;
mod sources;

use crate::bench::Bench;

/// One thing every adapter must do.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Whether it needs a runtime that can be told a misdeed.
    pub misdeeds: bool,
    /// Whether it is about conversations: what a runtime without any refuses is one check for itself.
    pub conversations: bool,
    /// Looks, and panics when it does not hold.
    pub run: fn(&Bench<'_>),
}

const fn check(name: &'static str, run: fn(&Bench<'_>)) -> Check {
    Check { name, misdeeds: false, conversations: true, run }
}

const fn misdeed(name: &'static str, run: fn(&Bench<'_>)) -> Check {
    Check { name, misdeeds: true, conversations: true, run }
}

const fn any(name: &'static str, run: fn(&Bench<'_>)) -> Check {
    Check { name, misdeeds: false, conversations: false, run }
}

/// All of them.
pub const SUITE: &[Check] = &[
    check("resolve_tells_what_stands_on_disk", sources::resolve),
    check("an_id_nobody_has_is_not_found_and_nothing_is_started", sources::not_found),
    check("a_damaged_source_is_refused_with_its_line", sources::damaged),
    check("a_source_in_which_nobody_speaks_is_refused", sources::unspoken),
    any("hostile_ids_start_no_process", hostile::ids),
    any("what_an_adapter_says_of_itself_is_so", making::description),
    check("a_fork_is_a_new_conversation_that_is_proved", making::fork),
    check("a_fork_of_a_fork_is_proved", making::fork_of_fork),
    check("a_child_lives_where_its_seat_is", making::cwd),
    any("a_fresh_conversation_uses_no_source", making::fresh),
    any("a_pane_serves_the_conversation_it_resumes_and_is_gone_when_closed", making::resume),
    check("a_pane_is_told_by_its_own_process_alone", making::capture),
    check("making_a_conversation_has_no_side_effect", making::side_effects),
    misdeed("a_runtime_that_hangs_is_ended_at_its_deadline", failing::hang),
    misdeed("the_words_of_a_runtime_that_fails_are_kept", failing::output),
    misdeed("a_success_without_a_child_is_none", failing::lie),
    misdeed("the_id_of_another_conversation_is_never_taken", failing::wrong_id),
    misdeed("the_sources_own_id_is_never_taken", failing::source_id),
    misdeed("an_empty_child_is_refused", failing::empty_child),
    misdeed("a_child_with_another_history_is_refused", failing::other_history),
    misdeed("a_source_that_was_changed_proves_nothing", failing::changed_source),
];
