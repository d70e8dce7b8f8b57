//! The clock, and what the kernel has counted, wherever a phase begins.

use std::path::Path;

use crate::clock::nanoseconds;
use crate::npy;
use crate::protocol::Refusal;

pub const NONE: i64 = -1; // before any repetition
const PHASES: [&str; 6] = ["context", "keygen", "encrypt", "evaluate", "decrypt", "other"];
const WIDTH: usize = 8; // columns before those of the events
const EVENT_BYTES: usize = 24; // value, nanoseconds enabled, nanoseconds running

/// Without `events` nothing is kept.
pub struct Marks {
    events: Option<Vec<i32>>, // file descriptors of the kernel's counters
    rows: Vec<i64>,
}

impl Marks {
    pub fn new(events: Option<Vec<i32>>) -> Marks {
        Marks { events, rows: Vec::new() }
    }

    /// Keeps a row: a phase of a repetition begins.
    pub fn begin(&mut self, phase: &str, repetition: i64) {
        let Some(events) = &self.events else { return };
        let place = PHASES.iter().position(|name| *name == phase).expect("a phase of the protocol");
        let mut used: libc::rusage = unsafe { std::mem::zeroed() };
        unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut used) };
        self.rows.extend([place as i64, repetition, nanoseconds(libc::CLOCK_MONOTONIC)]);
        self.rows.push(nanoseconds(libc::CLOCK_PROCESS_CPUTIME_ID));
        self.rows.extend([used.ru_minflt, used.ru_majflt, used.ru_nvcsw, used.ru_nivcsw]);
        for event in events {
            self.rows.extend(reading(*event));
        }
    }

    /// The path of the rows, saved in the folder; None where nothing is kept.
    pub fn write(&self, folder: &Path) -> Result<Option<String>, Refusal> {
        let Some(events) = &self.events else {
            return Ok(None);
        };
        let width = WIDTH + 3 * events.len();
        let path = folder.join("marks.npy");
        npy::write_ints(&path, &[self.rows.len() / width, width], &self.rows)?;
        Ok(Some(path.display().to_string()))
    }
}

/// A counter's value, and for how long it was enabled and counted; -1 where it cannot be read.
fn reading(event: i32) -> [i64; 3] {
    let mut found = [0u8; EVENT_BYTES];
    let read = unsafe { libc::read(event, found.as_mut_ptr().cast(), EVENT_BYTES) };
    if read != EVENT_BYTES as isize {
        return [NONE; 3];
    }
    std::array::from_fn(|i| i64::from_le_bytes(found[8 * i..8 * i + 8].try_into().expect("eight bytes")))
}
