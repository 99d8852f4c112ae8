//! `seatfork explain`: what a code means, an example that triggers it, what to do (SPEC 4, 13).

use seatfork_schema::explain::{self, Entry, Example, ExampleBytes};
use serde::Serialize;

use crate::exit::Exit;
use crate::output::{Failure, Output, SCHEMA_VERSION};
use seatfork_schema::LaunchCode;

/// The arguments of `explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The code; all of them where absent.
    code: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Result<Exit, Failure> {
    let Some(code) = &args.code else {
        list(output);
        return Ok(Exit::Ok);
    };
    let Some(entry) = explain::explain(code) else { return Err(unknown(code)) };
    if output.is_json() {
        output.object(&Explained::new(&entry));
    } else {
        output.data(&page(&entry));
    }
    Ok(Exit::Ok)
}

fn unknown(code: &str) -> Failure {
    let failure = Failure::new(
        Exit::NotFound,
        LaunchCode::CodeUnknown,
        format!("there is no code \"{code}\""),
    )
    .detail("code", code);
    match explain::meant(code) {
        Some(meant) => failure.hint(format!("did you mean \"{meant}\"?")).detail("meant", meant),
        None => failure.hint("`seatfork explain` lists the codes"),
    }
}

fn list(output: &mut Output) {
    if output.is_json() {
        let all = explain::entries().chain(explain::launch_entries());
        let codes = all.map(|entry| Listed { code: entry.code, what: first_line(entry.what) });
        let codes = codes.collect();
        output.object(&List { schema_version: SCHEMA_VERSION, ok: true, codes });
        return;
    }
    let widest = explain::entries().chain(explain::launch_entries()).map(|e| e.code.len()).max();
    let widest = widest.unwrap_or(0);
    let line = |entry: Entry| format!("  {:widest$}  {}\n", entry.code, first_line(entry.what));
    output.data("Of a spec:\n");
    output.data(&explain::entries().map(line).collect::<String>());
    output.data("\nOf plan, launch and store:\n");
    output.data(&explain::launch_entries().map(line).collect::<String>());
    output.data("\n`seatfork explain CODE` explains one.\n");
}

/// The first sentence of a paragraph, on one line.
fn first_line(what: &str) -> String {
    let first = what.split_once(". ").map_or(what, |(first, _)| first);
    first.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}

fn page(entry: &Entry) -> String {
    let Entry { code, what, why, example, mend, what_to_do } = entry;
    let mut page = format!("{code}\n\n{what}\n\nWhy\n\n{why}\n");
    if let Some(example) = example {
        page.extend(["\nExample", &note(*example), "\n\n", &indented(example.yaml)]);
    }
    if let Some(mend) = mend {
        page.extend(["\nMended\n\n", &indented(mend)]);
    }
    if let Some(what_to_do) = what_to_do {
        page.extend(["\nWhat to do\n\n", what_to_do, "\n"]);
    }
    page
}

/// What an example's bytes have that its text cannot show.
fn note(example: Example) -> String {
    match example.bytes {
        ExampleBytes::Text => String::new(),
        ExampleBytes::PaddedTo(bytes) => format!(" (followed by comments up to {bytes} bytes)"),
        ExampleBytes::Latin1 => " (saved as Latin-1)".to_owned(),
    }
}

/// A text set off from the page; what would move the cursor is shown escaped.
fn indented(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        out.extend(["    ", &seatfork_schema::printable(line), "\n"]);
    }
    out
}

#[derive(Debug, Serialize)]
struct List {
    schema_version: u32,
    ok: bool,
    codes: Vec<Listed>,
}

#[derive(Debug, Serialize)]
struct Listed {
    code: &'static str,
    what: String,
}

#[derive(Debug, Serialize)]
struct Explained {
    schema_version: u32,
    ok: bool,
    code: &'static str,
    what: &'static str,
    why: &'static str,
    example: Option<&'static str>,
    mend: Option<&'static str>,
    what_to_do: Option<&'static str>,
}

impl Explained {
    fn new(entry: &Entry) -> Self {
        let Entry { code, what, why, example, mend, what_to_do } = *entry;
        let example = example.map(|example| example.yaml);
        Self {
            schema_version: SCHEMA_VERSION,
            ok: true,
            code,
            what,
            why,
            example,
            mend,
            what_to_do,
        }
    }
}
