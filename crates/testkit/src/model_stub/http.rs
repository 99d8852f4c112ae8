//! As much HTTP/1.1 as the stub needs: one request a connection, plain or chunked body.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

/// A request as read from the wire.
#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    /// The path without the query.
    pub(super) fn route(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// A query parameter, as written.
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.target.split_once('?')?;
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// Reads one request; `None` when the peer closed without sending one.
pub(super) fn read(stream: &mut TcpStream) -> io::Result<Option<HttpRequest>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(io::Error::other("no request line"));
    };
    let mut request =
        HttpRequest { method: method.into(), target: target.into(), headers: vec![], body: vec![] };
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        request.headers.push((name.to_owned(), value.trim().to_owned()));
    }
    if request.header("expect").is_some_and(|v| v.eq_ignore_ascii_case("100-continue")) {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if request.header("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked")) {
        read_chunks(&mut reader, &mut request.body)?;
    } else if let Some(length) = request.header("content-length") {
        let length: usize = length.parse().map_err(io::Error::other)?;
        request.body.resize(length, 0);
        reader.read_exact(&mut request.body)?;
    }
    Ok(Some(request))
}

fn read_chunks(reader: &mut BufReader<&mut TcpStream>, body: &mut Vec<u8>) -> io::Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let size = line.trim_end().split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
        let start = body.len();
        body.resize(start + size, 0);
        reader.read_exact(&mut body[start..])?;
        line.clear();
        reader.read_line(&mut line)?;
        if size == 0 {
            return Ok(());
        }
    }
}

/// A response with its whole body at hand.
#[derive(Debug)]
pub(super) struct HttpResponse {
    status: u16,
    content_type: &'static str,
    body: String,
}

impl HttpResponse {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self { status, content_type: "application/json", body: body.to_string() }
    }

    /// Server-sent events; each event's name is its data's `type`.
    pub(super) fn events(events: &[Value]) -> Self {
        let body = events
            .iter()
            .map(|e| format!("event: {}\ndata: {e}\n\n", e["type"].as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .concat();
        Self { status: 200, content_type: "text/event-stream", body }
    }

    pub(super) fn write_to(&self, stream: &mut TcpStream) -> io::Result<()> {
        let Self { status, content_type, body } = self;
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status} Stub\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{body}"
        )?;
        stream.flush()
    }
}
