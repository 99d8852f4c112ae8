//! The test kit, tested.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test as the test itself would")]

mod fake;
mod fake_codex;
mod fake_pane;
mod history;
mod model_stub;
mod npm;
mod pixir;
mod test_env;
