//! `model-stub [--log FILE] [--port N] [--until-eof]`: the model stub as a process.
//!
//! Prints its port on the first line of stdout, then serves: until killed, or with
//! `--until-eof` until its standard input closes (so that it ends with whoever started it).

use std::{
    io::{self, Read as _, Write as _},
    path::PathBuf,
    process::ExitCode,
    thread,
};

use seatfork_testkit::model_stub::ModelStub;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            // With stderr gone there is nobody left to tell; the exit code still says it.
            writeln!(io::stderr(), "model-stub: {text}").ok();
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let (mut log, mut port, mut until_eof) = (None, 0, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--log" => log = Some(PathBuf::from(value()?)),
            "--port" => port = value()?.parse().map_err(|e| format!("--port: {e}"))?,
            "--until-eof" => until_eof = true,
            _ => return Err(format!("unknown argument {arg}")),
        }
    }
    let stub = ModelStub::start_with(log.as_deref(), port).map_err(|e| format!("{e:?}"))?;
    writeln!(io::stdout(), "{}", stub.port).map_err(|e| format!("write stdout: {e}"))?;
    if until_eof {
        io::copy(&mut io::stdin().by_ref(), &mut io::sink()).map_err(|e| e.to_string())?;
        return Ok(());
    }
    loop {
        thread::park();
    }
}
