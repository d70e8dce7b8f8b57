//! The TFHE-rs worker: executes programs of table look-ups as they stand, and returns every sample.
//!
//! It speaks version 1 of the protocol that workers/PROTOCOL.md describes: JSON lines on stdin and on the
//! stdout it was born with.

mod bench;
mod clock;
mod engine;
mod execute;
mod keys;
mod marks;
mod measure;
mod memory;
mod npy;
mod parameters;
mod program;
mod protocol;
mod run;
mod shortint;
mod sizes;

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::fd::FromRawFd;
use std::panic::{catch_unwind, AssertUnwindSafe};

use protocol::{bad_request, infeasible, Refusal, Request};
use serde_json::{json, Value};

fn main() {
    let mut session = Session { replies: keep_stdout(), baseline: memory::resident_bytes() };
    session.reply(&protocol::greeting());
    for line in io::stdin().lock().lines() {
        let line = line.expect("stdin can be read");
        if !line.is_empty() {
            session.answer(&line);
        }
    }
}

/// The original stdout. File descriptor 1 points at stderr from here on, so that nothing that is printed can
/// corrupt a reply.
fn keep_stdout() -> File {
    unsafe {
        let kept = libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 3);
        assert!(kept >= 0 && libc::dup2(2, 1) == 1, "stdout can be kept");
        File::from_raw_fd(kept)
    }
}

/// One conversation, which lives as long as stdin.
pub struct Session {
    replies: File,
    baseline: i64, // resident bytes after start-up
}

impl Session {
    pub fn reply(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.replies.write_all(line.as_bytes()).expect("the reader of replies is there");
    }

    pub fn progress(&mut self, id: &str, phase: &str, done: usize, total: usize) {
        self.reply(&json!({"type": "progress", "id": id, "phase": phase, "done": done, "total": total}));
    }

    /// Replies to one line. What is refused leaves the session healthy, and so does what the library throws.
    fn answer(&mut self, line: &str) {
        let id = serde_json::from_str::<Value>(line).map_or(Value::Null, |v| v["id"].clone());
        let found = catch_unwind(AssertUnwindSafe(|| self.handle(line)));
        match found.unwrap_or_else(|thrown| Err(infeasible(words(&*thrown)))) {
            Ok(reply) => self.reply(&reply),
            Err(Refusal { kind, message }) => {
                self.reply(&json!({"type": "refused", "id": id, "kind": kind, "message": message}))
            }
        }
    }

    fn handle(&mut self, line: &str) -> Result<Value, Refusal> {
        let request: Request = serde_json::from_str(line)
            .map_err(|e| bad_request(format!("the request cannot be read: {e}")))?;
        match request.kind.as_str() {
            "describe" => Ok(parameters::Parameters::checked(&request.parameters)?.described(&request.id)),
            "run" => run::run(self, &request, self.baseline),
            "measure" => measure::measure(self, &request, self.baseline),
            other => Err(bad_request(format!("unknown type {other:?}; known are describe, run and measure"))),
        }
    }
}

/// The words of a panic.
fn words(thrown: &(dyn std::any::Any + Send)) -> String {
    let said = thrown.downcast_ref::<String>().map(String::as_str);
    said.or(thrown.downcast_ref::<&str>().copied()).unwrap_or("TFHE-rs failed without a word").to_string()
}
