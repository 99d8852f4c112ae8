//! Times of the whole pipeline: parse, validate, emit, for rigs of 1, 10 and 1000 members.
//!
//! `cargo bench -p seatfork-codec` prints medians; nothing is asserted here.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use seatfork_codec::{Hints, Look, emit, parse, render};

#[expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
fn main() {
    println!(
        "{:>8} {:>9} {:>12} {:>12} {:>12}",
        "members", "bytes", "parse us", "emit us", "both us"
    );
    for members in [1, 10, 1000] {
        let text = rig(members, "");
        let hints = Hints::default();
        let document =
            parse(text.as_bytes(), &hints).document.expect("the benchmark's rig is valid");
        let rounds = (20_000 / members).clamp(30, 3000);
        let parsing = median(rounds, || parse(text.as_bytes(), &hints).diagnostics.len());
        let emitting = median(rounds, || emit(&document).len());
        let both = median(rounds, || {
            parse(text.as_bytes(), &hints).document.map_or(0, |document| emit(&document).len())
        });
        println!("{members:>8} {:>9} {parsing:>12.1} {emitting:>12.1} {both:>12.1}", text.len());
    }
    let text = rig(1000, "        rolle: reviewer\n");
    let outcome = parse(text.as_bytes(), &Hints::default());
    let look = Look { at_most: usize::MAX, ..Look::default() };
    let time = median(20, || render("rig.yaml", text.as_bytes(), &outcome.diagnostics, look).len());
    println!(
        "render {} diagnostics on {} bytes: {time:.0} us",
        outcome.diagnostics.len(),
        text.len()
    );
}

/// The median time of a run in microseconds, after a warm-up.
fn median(rounds: usize, mut run: impl FnMut() -> usize) -> f64 {
    let mut times: Vec<Duration> = Vec::with_capacity(rounds);
    for round in 0..rounds + rounds / 10 {
        let start = Instant::now();
        std::hint::black_box(run());
        if round >= rounds / 10 {
            times.push(start.elapsed());
        }
    }
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// A rig as people write it, pods of ten members, every third forked.
fn rig(members: usize, extra: &str) -> String {
    let mut text =
        String::from("version: \"0.2\"\nname: bench\nsummary: A rig to measure with.\npods:\n");
    for member in 0..members {
        if member % 10 == 0 {
            let pod = member / 10;
            // Writing to a String cannot fail.
            let _infallible =
                write!(text, "  - id: pod{pod}\n    label: Pod {pod}\n    members:\n");
        }
        let _infallible = write!(
            text,
            "      - id: member{member}\n        agent_ref: local:agents/impl\n        profile: default\n        runtime: claude-code\n        model: a-model\n        cwd: work/tree{member}\n{extra}"
        );
        if member % 3 == 0 {
            let _infallible = write!(
                text,
                "        session_source:\n          mode: fork\n          ref:\n            kind: native_id\n            value: \"0b0165d7-cb4d-4650-90de-{member:012}\"\n"
            );
        }
    }
    text
}
