//! Times single operations.

use std::path::Path;

use serde_json::{json, Value};

use crate::bench::{times, Bench, OPERATIONS};
use crate::clock::{timed, Sample};
use crate::keys::Keys;
use crate::parameters::Parameters;
use crate::protocol::{bad_request, Item, Refusal, Request};
use crate::run::memory_so_far;
use crate::shortint::OwnLoop;
use crate::{memory, npy, sizes, Session};

pub fn measure(session: &mut Session, r: &Request, baseline: i64) -> Result<Value, Refusal> {
    let p = Parameters::checked(&r.parameters)?;
    check(&r.items)?;
    memory::trim();
    memory::reset_peak();
    let mut held = memory_so_far(baseline);
    held["context_bytes"] = memory::resident_bytes().into();
    let threads = r.plan.threads.unwrap_or(1).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| bad_request(format!("{threads} threads: {e}")))?;
    pool.install(|| {
        let (keys, keygen) = timed(|| Keys::new(&p));
        let own = r.items.iter().any(|item| item.operation == "lookup_by_shortint").then(|| OwnLoop::new(&p));
        held["keys_bytes"] = memory::resident_bytes().into();
        let items = timed_items(session, r, &mut Bench::new(&p, &keys, threads, own))?;
        held["peak_bytes"] = memory::peak_bytes().into();
        let mut answer = p.described(&r.id);
        answer["type"] = "timed".into();
        answer["items"] = items;
        answer["keygen"] = json!(keygen);
        answer["sizes"] = sizes::sizes(&p, &keys, true);
        answer["memory"] = held;
        Ok(answer)
    })
}

fn check(items: &[Item]) -> Result<(), Refusal> {
    let all = OPERATIONS.join(", ");
    if items.is_empty() {
        return Err(bad_request(format!("no operation; there are {all}")));
    }
    match items.iter().find(|item| !OPERATIONS.contains(&item.operation.as_str())) {
        Some(item) => Err(bad_request(format!("no operation {}; there are {all}", item.operation))),
        None => Ok(()),
    }
}

/// In every repetition each item is done once, so that all items meet the same load.
fn timed_items(session: &mut Session, r: &Request, bench: &mut Bench) -> Result<Value, Refusal> {
    let total = r.plan.warmup + r.plan.repetitions.max(1);
    let mut seconds = vec![Vec::new(); r.items.len()];
    let mut values = vec![None; r.items.len()];
    for done in 0..total {
        for (i, item) in r.items.iter().enumerate() {
            let (took, number) = sampled(bench, &item.operation);
            if done >= r.plan.warmup {
                seconds[i].push(took);
            }
            values[i] = number;
        }
        session.progress(&r.id, "run", done + 1, total);
    }
    let mut found = Vec::new();
    for (i, item) in r.items.iter().enumerate() {
        let path = written(&r.folder, i, values[i])?;
        found.push(json!({
            "operation": item.operation, "level": 0, "seconds": seconds[i], "values": path, "refused": null,
        }));
    }
    Ok(found.into())
}

/// The sample of one operation, and the number that it left.
fn sampled(bench: &mut Bench, operation: &str) -> (Sample, Option<i64>) {
    let many = times(operation);
    let (outcome, took) = timed(|| {
        for _ in 1..many {
            bench.once(operation);
        }
        bench.once(operation)
    });
    (Sample(took.0 / many as f64, took.1 / many as f64), bench.number(operation, &outcome))
}

fn written(folder: &str, i: usize, number: Option<i64>) -> Result<Option<String>, Refusal> {
    let Some(number) = number else {
        return Ok(None);
    };
    if folder.is_empty() {
        return Ok(None);
    }
    let path = Path::new(folder).join(format!("{i}.npy"));
    npy::write_ints(&path, &[1], &[number])?;
    Ok(Some(path.display().to_string()))
}
