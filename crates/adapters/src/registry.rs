//! Which adapters this build has.

use crate::claude_code::ClaudeCode;
use crate::codex::Codex;
use crate::contract::adapter::Adapter;
use crate::contract::failure::PlanRefusal;
use crate::pixir::Pixir;
use crate::terminal::Terminal;
use seatfork_schema::{LaunchCode, Runtime};

/// The adapter of a runtime.
///
/// `pi` is a word of the schema whose adapter this build does not have yet; it is
/// refused as `not-in-this-build`, never replaced.
///
/// ```
/// use seatfork_adapters::adapter_for;
/// use seatfork_schema::{LaunchCode, Runtime};
/// assert_eq!(adapter_for(Runtime::ClaudeCode).unwrap().runtime(), Runtime::ClaudeCode);
/// assert_eq!(adapter_for(Runtime::Pi).unwrap_err().code, LaunchCode::NotInThisBuild);
/// ```
pub fn adapter_for(runtime: Runtime) -> Result<&'static dyn Adapter, PlanRefusal> {
    match runtime {
        Runtime::ClaudeCode => Ok(&ClaudeCode),
        Runtime::Codex => Ok(&Codex),
        Runtime::Terminal => Ok(&Terminal),
        Runtime::Pixir => Ok(&Pixir),
        Runtime::Pi => Err(PlanRefusal {
            code: LaunchCode::NotInThisBuild,
            message: format!("this build has no adapter for {runtime}"),
            help: Some(format!("it has {}", known())),
        }),
    }
}

/// All adapters of this build, in the order of the SPEC.
pub fn adapters() -> impl Iterator<Item = &'static dyn Adapter> {
    Runtime::ALL.iter().filter_map(|runtime| adapter_for(*runtime).ok())
}

fn known() -> String {
    let built = [ClaudeCode.runtime(), Codex.runtime(), Terminal.runtime(), Pixir.runtime()];
    built.map(Runtime::as_str).join(", ")
}
