//! Prior conversations as a table (SPEC 13, `sessions`).

use comfy_table::{Table, presets};
use jiff::Timestamp;
use seatfork_schema::printable;

use super::lines::{count, error_below, put};
use super::time;
use crate::sessions::{SessionReport, SessionsReport};

/// The longest part of a conversation's own words in a row.
const PREVIEW: usize = 50;

/// The whole text. Ids are whole: they are what one came for.
pub(crate) fn text(report: &SessionsReport, now: Timestamp) -> String {
    let mut text = String::new();
    for unread in &report.unread {
        put(&mut text, format_args!("{}: {}\n", unread.runtime, printable(&unread.error.message)));
        text.push_str(&error_below(&unread.error, false));
    }
    if !report.sessions.is_empty() {
        text.push_str(&table(&report.sessions, now));
        text.push('\n');
    }
    let whence = report.cwd.as_ref().map(|cwd| format!(" recorded in {}", printable(cwd)));
    let shown = count(report.sessions.len(), "conversation", "conversations");
    put(&mut text, format_args!("{shown}{}", whence.unwrap_or_default()));
    if report.more > 0 {
        put(&mut text, format_args!(", {} more with --limit", report.more));
    }
    if report.elsewhere > 0 {
        put(&mut text, format_args!(", {} elsewhere with --all", report.elsewhere));
    }
    text.push_str(match (report.sessions.is_empty(), report.elsewhere) {
        (false, _) => ". Next: seatfork sessions --print-spec ID\n",
        (true, 1..) => ". Next: seatfork sessions --all\n",
        (true, 0) => "; a fork needs one to start from\n",
    });
    text
}

fn table(sessions: &[SessionReport], now: Timestamp) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["SESSION", "RUNTIME", "ACTIVE", "SIZE", "RECORDS", "FORK", "CWD", "ABOUT"]);
    for session in sessions {
        table.add_row([
            printable(&session.native_id),
            session.runtime.to_string(),
            session.last_activity.map_or_else(|| "unknown".to_owned(), |at| time::ago(now, at)),
            time::bytes(session.bytes),
            session.records.map_or_else(|| "not counted".to_owned(), |count| count.to_string()),
            forkable(session),
            session.cwd.as_deref().map_or_else(|| "unknown".to_owned(), printable),
            about(session),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

fn forkable(session: &SessionReport) -> String {
    let said = match (&session.not_forkable, session.forkable) {
        (Some(why), _) => return format!("no: {}", printable(why)),
        (None, Some(_)) => "yes",
        (None, None) => "not read whole",
    };
    match &session.live {
        Some(live) => format!("{said} (live, process {})", live.pid),
        None => said.to_owned(),
    }
}

fn about(session: &SessionReport) -> String {
    let said = session.preview.as_deref().unwrap_or_default();
    let first = said.lines().next().unwrap_or_default();
    if first.chars().count() > PREVIEW {
        let cut: String = first.chars().take(PREVIEW).collect();
        format!("{}…", printable(cut.trim_end()))
    } else {
        printable(first)
    }
}
