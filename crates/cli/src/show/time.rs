//! Times and spans for people.

use std::time::Duration;

use jiff::Timestamp;

/// How long ago something was: a span for what is near, a date for what is far.
pub(crate) fn ago(now: Timestamp, at: Timestamp) -> String {
    let seconds = now.duration_since(at).as_secs();
    match seconds {
        // Clocks of two machines, or one that was set back.
        ..0 => at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        0..10 => "just now".to_owned(),
        10..120 => format!("{seconds} s ago"),
        120..7200 => format!("{} min ago", seconds / 60),
        7200..172_800 => format!("{} h ago", seconds / 3600),
        172_800..2_592_000 => format!("{} days ago", seconds / 86_400),
        _ => at.strftime("%Y-%m-%d").to_string(),
    }
}

/// How long something took: `3.1s`.
pub(crate) fn took(duration: Duration) -> String {
    format!("{:.1}s", duration.as_secs_f64())
}

/// A number of bytes: `30 MB`, in thousands.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    if unit == 0 || size >= 99.95 {
        format!("{size:.0} {}", UNITS[unit])
    } else {
        format!("{size:.1} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_a_span_and_what_is_far_a_date() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-11-30T14:00:00Z");
        for (then, said) in [
            ("2026-11-30T13:59:55Z", "just now"),
            ("2026-11-30T13:59:00Z", "60 s ago"),
            ("2026-11-30T13:00:00Z", "60 min ago"),
            ("2026-11-30T11:00:00Z", "3 h ago"),
            ("2026-11-27T14:00:00Z", "3 days ago"),
            ("2026-01-01T00:00:00Z", "2026-01-01"),
            ("2026-11-30T14:01:00Z", "2026-11-30 14:01 UTC"),
        ] {
            assert_eq!(ago(now, at(then)), said);
        }
        assert_eq!(took(Duration::from_millis(3149)), "3.1s");
    }

    #[test]
    fn sizes_have_units_of_thousands() {
        for (size, said) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (61_402, "61.4 kB"),
            (999_600, "1.0 MB"),
            (100_000_000, "100 MB"),
        ] {
            assert_eq!(bytes(size), said);
        }
    }
}
