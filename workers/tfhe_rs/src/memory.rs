//! The resident set of this process, in bytes.

use std::fs;

/// VmRSS; 0 where the kernel does not say.
pub fn resident_bytes() -> i64 {
    status_bytes("VmRSS:")
}

/// VmHWM: the largest resident set since the last `reset_peak`.
pub fn peak_bytes() -> i64 {
    status_bytes("VmHWM:")
}

fn status_bytes(field: &str) -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|n| n.parse::<i64>().ok());
    kibibytes.unwrap_or(0) << 10
}

/// Starts a new peak where the kernel allows it.
pub fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Gives freed memory back to the system.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}
