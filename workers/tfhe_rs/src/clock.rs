//! CPU and wall time.

use std::time::Instant;

use serde::Serialize;

/// CPU seconds of the process, all threads together, then wall seconds.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Sample(pub f64, pub f64);

impl std::ops::AddAssign for Sample {
    fn add_assign(&mut self, other: Sample) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

/// The result of `action`, and what it took.
pub fn timed<T>(action: impl FnOnce() -> T) -> (T, Sample) {
    let (cpu, wall) = (process_seconds(), Instant::now());
    let result = action();
    (result, Sample(process_seconds() - cpu, wall.elapsed().as_secs_f64()))
}

fn process_seconds() -> f64 {
    1e-9 * nanoseconds(libc::CLOCK_PROCESS_CPUTIME_ID) as f64
}

pub fn nanoseconds(clock: libc::clockid_t) -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    assert_eq!(unsafe { libc::clock_gettime(clock, &mut t) }, 0, "the clock can be read");
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}
