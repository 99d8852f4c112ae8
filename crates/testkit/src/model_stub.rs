//! A model on the loopback: the real runtimes talk to it, and tests read what they sent.
//!
//! It speaks Anthropic Messages (`POST /v1/messages`, plain and streamed, `count_tokens`) and
//! `OpenAI` Responses (`POST /v1/responses`, plain and streamed), and `GET /v1/models` for both. Every request is recorded before it is answered. The reply repeats the
//! codewords the user said, so that both the record and the runtime's own output show which
//! history went out.

mod http;
mod messages;
mod record;
mod reply;
mod responses;

use std::{
    collections::VecDeque,
    fs::File,
    io::Write as _,
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use http::{HttpRequest, HttpResponse};
pub use record::{ModelRequest, codewords_in};

/// How the stub answers model calls until told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A reply at once.
    Ok,
    /// The given HTTP status with an error body.
    Status(u16),
    /// The request is read and never answered, until the mode changes or the stub ends.
    Hang,
    /// A reply after this long.
    Slow(Duration),
}

impl Mode {
    /// Reads `ok`, `hang`, `slow:SECONDS`, or an HTTP error status such as `500`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "ok" => Some(Self::Ok),
            "hang" => Some(Self::Hang),
            _ => match text.strip_prefix("slow:") {
                Some(seconds) => seconds
                    .parse()
                    .ok()
                    .and_then(|s| Duration::try_from_secs_f64(s).ok())
                    .map(Self::Slow),
                None => text.parse().ok().filter(|s| (400..=599).contains(s)).map(Self::Status),
            },
        }
    }
}

/// Why a stub could not start.
#[derive(Debug, thiserror::Error)]
pub enum StubError {
    /// No loopback port was to be had.
    #[error("bind a loopback port for the model stub")]
    Bind(#[source] std::io::Error),
    /// The request log could not be made.
    #[error("create the model stub's request log {}", path.display())]
    Log {
        /// The log's path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// A running model stub; it ends when dropped.
///
/// ```
/// use seatfork_testkit::model_stub::ModelStub;
///
/// let stub = ModelStub::start()?;
/// assert!(stub.base_url().starts_with("http://127.0.0.1:"));
/// assert!(stub.requests().is_empty());
/// # Ok::<(), seatfork_testkit::model_stub::StubError>(())
/// ```
#[derive(Debug)]
pub struct ModelStub {
    /// The port on 127.0.0.1.
    pub port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    mode: Mode,
    requests: VecDeque<ModelRequest>,
    log: Option<(PathBuf, File)>,
    log_failure: Option<String>,
    ended: bool,
}

impl ModelStub {
    /// Starts a stub on a free loopback port; requests are kept in memory.
    pub fn start() -> Result<Self, StubError> {
        Self::start_with(None, 0)
    }

    /// Starts a stub that also appends each request as one JSON line to `log`, on `port` (0: a
    /// free one).
    pub fn start_with(log: Option<&Path>, port: u16) -> Result<Self, StubError> {
        let log = match log {
            None => None,
            Some(path) => {
                let file = File::options().create(true).append(true).open(path);
                let file = file.map_err(|source| StubError::Log { path: path.into(), source })?;
                Some((path.to_path_buf(), file))
            }
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(StubError::Bind)?;
        let port = listener.local_addr().map_err(StubError::Bind)?.port();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                mode: Mode::Ok,
                requests: VecDeque::new(),
                log,
                log_failure: None,
                ended: false,
            }),
            changed: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Ok(Self { port, shared })
    }

    /// The value for `ANTHROPIC_BASE_URL`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Changes how further (and hanging) model calls are answered.
    pub fn set_mode(&self, mode: Mode) {
        self.shared.lock().mode = mode;
        self.shared.changed.notify_all();
    }

    /// Every request so far, oldest first.
    ///
    /// # Panics
    /// When the log file could not be written: a log with holes proves nothing.
    pub fn requests(&self) -> Vec<ModelRequest> {
        let state = self.shared.lock();
        assert!(
            state.log_failure.is_none(),
            "{}",
            state.log_failure.as_deref().unwrap_or_default()
        );
        state.requests.iter().cloned().collect()
    }

    /// The requests that ask the model for a reply (no token counts, no model lists).
    pub fn model_calls(&self) -> Vec<ModelRequest> {
        self.requests().into_iter().filter(ModelRequest::is_model_call).collect()
    }

    /// The requests that are turns of a conversation.
    pub fn turns(&self) -> Vec<ModelRequest> {
        self.requests().into_iter().filter(ModelRequest::is_turn).collect()
    }

    /// Forgets the requests so far, so that what follows can be counted from zero.
    pub fn forget(&self) {
        self.shared.lock().requests.clear();
    }

    /// The first request, past or to come before `deadline` runs out, that `pred` accepts.
    pub fn wait_for(
        &self,
        pred: impl Fn(&ModelRequest) -> bool,
        deadline: Duration,
    ) -> Option<ModelRequest> {
        let end = Instant::now() + deadline;
        let mut state = self.shared.lock();
        loop {
            if let Some(found) = state.requests.iter().find(|r| pred(r)) {
                return Some(found.clone());
            }
            let left = end.checked_duration_since(Instant::now())?;
            state = self
                .shared
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Drop for ModelStub {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_all();
        // Wakes the accepting thread so that it sees the end; when nobody listens any more
        // there is nobody to wake.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request; returns its number, counted from 0.
    fn record(&self, http: &HttpRequest) -> ModelRequest {
        let mut state = self.lock();
        let request = ModelRequest::new(state.requests.len(), http);
        if let Some((path, file)) = &mut state.log
            && let Err(err) = writeln!(file, "{}", request.to_json())
        {
            let failure = format!("write the model stub's request log {}: {err}", path.display());
            state.log_failure = Some(failure);
        }
        state.requests.push_back(request.clone());
        drop(state);
        self.changed.notify_all();
        request
    }

    /// The mode to answer in now; waits out `Hang`. `None` when the stub has ended.
    fn mode_to_answer(&self) -> Option<Mode> {
        let mut state = self.lock();
        while state.mode == Mode::Hang && !state.ended {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!state.ended).then_some(state.mode)
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.lock().ended {
            return;
        }
        // A connection that failed before it was ours carries no request to lose.
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            let mut stream = stream;
            // A runtime that hangs up (killed, timed out) is a normal end of a connection.
            if let Ok(Some(request)) = http::read(&mut stream)
                && let Some(response) = answer(&request, &shared)
            {
                response.write_to(&mut stream).ok();
            }
        });
    }
}

/// The answer to one request; `None` when the stub ends first.
fn answer(http: &HttpRequest, shared: &Shared) -> Option<HttpResponse> {
    if http.route() == "/__stub" {
        return Some(control(http, shared));
    }
    let request = shared.record(http);
    match (http.method.as_str(), http.route()) {
        ("POST", "/v1/messages") => model_call(&request, shared, messages::reply, messages::error),
        ("POST", "/v1/responses") => {
            model_call(&request, shared, responses::reply, responses::error)
        }
        ("POST", "/v1/messages/count_tokens") => Some(messages::count_tokens(&request)),
        ("GET", "/v1/models") if http.query("client_version").is_some() => {
            Some(responses::models())
        }
        ("GET", "/v1/models") => Some(messages::models()),
        _ => Some(messages::error(404)),
    }
}

/// The answer to a model call, as the mode has it; `None` when the stub ends first.
fn model_call(
    request: &ModelRequest,
    shared: &Shared,
    reply: fn(&ModelRequest) -> HttpResponse,
    error: fn(u16) -> HttpResponse,
) -> Option<HttpResponse> {
    Some(match shared.mode_to_answer()? {
        Mode::Status(status) => error(status),
        Mode::Slow(delay) => {
            thread::sleep(delay);
            reply(request)
        }
        Mode::Ok | Mode::Hang => reply(request),
    })
}

/// `/__stub?mode=MODE` sets the mode; `/__stub` tells it and the number of requests.
fn control(http: &HttpRequest, shared: &Shared) -> HttpResponse {
    if let Some(word) = http.query("mode") {
        let Some(mode) = Mode::parse(word) else {
            return HttpResponse::json(400, &serde_json::json!({"error": "no such mode"}));
        };
        shared.lock().mode = mode;
        shared.changed.notify_all();
    }
    let state = shared.lock();
    let mode = format!("{:?}", state.mode);
    HttpResponse::json(200, &serde_json::json!({"mode": mode, "requests": state.requests.len()}))
}
