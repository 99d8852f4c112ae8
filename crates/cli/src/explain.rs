//! stub
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs { code: Option<String> }
pub(crate) fn run(_a: &ExplainArgs, _o: &mut crate::output::Output) -> Result<crate::exit::Exit, crate::output::Failure> { Ok(crate::exit::Exit::Ok) }
