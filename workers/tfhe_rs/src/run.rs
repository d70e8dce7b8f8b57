//! Runs a program as the plan says, writes its results and answers with every sample.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{json, Map, Value};

use crate::clock::{timed, Sample};
use crate::engine::{polynomial_of, Table};
use crate::execute::{Executor, Repetition};
use crate::keys::{Keys, Secrets};
use crate::marks::{Marks, NONE};
use crate::parameters::Parameters;
use crate::program::{Digits, Inputs, Kind, Program};
use crate::protocol::{bad_request, Refusal, Request};
use crate::{memory, npy, sizes, Session};

const PROGRESS_EVERY: Duration = Duration::from_millis(200);

pub fn run(session: &mut Session, r: &Request, baseline: i64) -> Result<Value, Refusal> {
    let p = Parameters::checked(&r.parameters)?;
    let program = r.program.as_ref().ok_or_else(|| bad_request("a run needs a program"))?;
    program.check(&p)?;
    let inputs = program.load(&r.inputs)?;
    memory::trim(); // what an earlier request left is no part of this one's peak
    memory::reset_peak();
    let threads = r.plan.threads.unwrap_or_else(rayon::current_num_threads).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| bad_request(format!("{threads} threads: {e}")))?;
    let mut held = memory_so_far(baseline);
    let mut marks = Marks::new(r.counters.clone());
    let (tables, context) = made_tables(&p, program, &mut marks);
    held["context_bytes"] = memory::resident_bytes().into();
    pool.install(|| {
        let (keys, keygen) = made_keys(session, r, &p, &mut marks);
        memory::trim();
        held["keys_bytes"] = memory::resident_bytes().into();
        let mut all =
            Runs { r, p: &p, program, keys: &keys, tables: &tables, inputs: &inputs, threads, marks };
        let found = all.repeat(session)?;
        held["peak_bytes"] = memory::peak_bytes().into();
        let mut answer = all.written(&found)?;
        answer["phases"]["context"] = json!([context]);
        answer["phases"]["keygen"] = json!(keygen);
        answer["memory"] = held;
        Ok(answer)
    })
}

pub fn memory_so_far(baseline: i64) -> Value {
    json!({"baseline_bytes": baseline, "context_bytes": null, "keys_bytes": null, "peak_bytes": null})
}

fn made_tables(p: &Parameters, program: &Program, marks: &mut Marks) -> (Vec<Table>, Sample) {
    marks.begin("context", NONE);
    let found = timed(|| program.tables.iter().map(|entries| polynomial_of(p, entries)).collect());
    marks.begin("other", NONE);
    found
}

/// Keys, made as often as the plan wants samples of it; the last ones are used.
fn made_keys(session: &mut Session, r: &Request, p: &Parameters, marks: &mut Marks) -> (Keys, Vec<Sample>) {
    let total = r.plan.keygens.max(1);
    let (mut keys, mut samples) = (None, Vec::new());
    for done in 0..total {
        drop(keys.take());
        marks.begin("keygen", done as i64);
        let (made, took) = timed(|| Keys::new(p));
        marks.begin("other", done as i64);
        keys = Some(made);
        samples.push(took);
        session.progress(&r.id, "keygen", done + 1, total);
    }
    (keys.expect("at least one"), samples)
}

struct Runs<'a> {
    r: &'a Request,
    p: &'a Parameters,
    program: &'a Program,
    keys: &'a Keys,
    tables: &'a [Table],
    inputs: &'a Inputs,
    threads: usize,
    marks: Marks,
}

impl Runs<'_> {
    /// Warms up, then executes until both the plan's repetitions and its time are reached.
    fn repeat(&mut self, session: &mut Session) -> Result<Vec<Repetition>, Refusal> {
        let (plan, unrelated) = (&self.r.plan, Secrets::new(self.p));
        let kept = if self.r.options.wrong_key { &unrelated } else { &self.keys.secrets };
        let executor = Executor {
            p: self.p,
            program: self.program,
            keys: self.keys,
            secret: kept.between(self.p.order),
            tables: self.tables,
            inputs: self.inputs,
            threads: self.threads,
            keep: self.kept(),
        };
        let total = plan.warmup + plan.repetitions.max(1);
        let (mut found, mut done) = (Vec::new(), 0);
        let (mut started, mut told) = (Instant::now(), None::<Instant>);
        while done < total || started.elapsed().as_secs_f64() < plan.min_seconds {
            if done == plan.warmup {
                started = Instant::now();
            }
            let mut last = executor.once(done as i64, &mut self.marks, self.r.options.check_inputs);
            if done >= plan.warmup {
                if !self.r.options.every_output {
                    found.iter_mut().for_each(Repetition::forget);
                }
                found.push(std::mem::take(&mut last));
            }
            done += 1;
            if done >= total || told.is_none_or(|at| at.elapsed() > PROGRESS_EVERY) {
                session.progress(&self.r.id, "run", done, total.max(done));
                told = Some(Instant::now());
            }
        }
        Ok(found)
    }

    /// The values that are decrypted after the steps, and hence are not freed.
    fn kept(&self) -> HashSet<usize> {
        let inputs = self.r.options.check_inputs.then_some(&self.program.inputs).into_iter().flatten();
        self.program.outputs.iter().chain(inputs).flat_map(|d| d.values.iter().copied()).collect()
    }

    /// The answer, once all arrays are in the folder.
    fn written(&self, found: &[Repetition]) -> Result<Value, Refusal> {
        let folder = PathBuf::from(&self.r.folder);
        let mut answer = self.p.described(&self.r.id);
        answer["type"] = "measured".into();
        answer["threads"] = self.threads.into();
        answer["outputs"] = self.arrays(&folder, found, write_numbers)?;
        if self.r.options.noise {
            answer["noise"] = self.arrays(&folder.join("noise"), found, write_errors)?;
        }
        answer["samples"] = self.samples(&folder, found)?.into();
        if let Some(path) = self.marks.write(&folder)? {
            answer["marks"] = path.into();
        }
        answer["phases"] = phases(found);
        let encrypts = self.program.steps.iter().any(|s| s.step == Kind::Encrypt);
        answer["sizes"] =
            if self.r.options.sizes { sizes::sizes(self.p, self.keys, encrypts) } else { json!({}) };
        if self.r.options.check_inputs {
            self.write_inputs(&folder.join("inputs_after"), found)?;
        }
        Ok(answer)
    }

    fn samples(&self, folder: &Path, found: &[Repetition]) -> Result<String, Refusal> {
        let path = folder.join("samples.npy");
        let seconds: Vec<f64> = found.iter().flat_map(|r| &r.steps).flat_map(|s| [s.0, s.1]).collect();
        npy::write_floats(&path, &[found.len(), self.program.steps.len(), 2], &seconds)?;
        Ok(path.display().to_string())
    }

    /// The path of each output, written by `write` from the last repetition, or from all of them where every
    /// output is wanted.
    fn arrays(&self, folder: &Path, found: &[Repetition], write: Write) -> Result<Value, Refusal> {
        let every = self.r.options.every_output;
        let chosen = if every { found } else { &found[found.len() - 1..] };
        let mut paths = Map::new();
        for (i, output) in self.program.outputs.iter().enumerate() {
            let path = folder.join(format!("{}.npy", output.name));
            write(&path, &shape(output, every.then_some(found.len())), chosen, i)?;
            paths.insert(output.name.clone(), path.display().to_string().into());
        }
        Ok(paths.into())
    }

    fn write_inputs(&self, folder: &Path, found: &[Repetition]) -> Result<(), Refusal> {
        let last = found.last().expect("at least one repetition");
        for (input, (numbers, _)) in self.program.inputs.iter().zip(&last.inputs_after) {
            npy::write_ints(&folder.join(format!("{}.npy", input.name)), &shape(input, None), numbers)?;
        }
        Ok(())
    }
}

impl Repetition {
    /// Lets go of the decrypted numbers.
    fn forget(&mut self) {
        self.outputs = Vec::new();
        self.inputs_after = Vec::new();
    }
}

type Write = fn(&Path, &[usize], &[Repetition], usize) -> Result<(), Refusal>;

fn write_numbers(path: &Path, shape: &[usize], found: &[Repetition], i: usize) -> Result<(), Refusal> {
    let numbers: Vec<i64> = found.iter().flat_map(|r| r.outputs[i].0.iter().copied()).collect();
    npy::write_ints(path, shape, &numbers)
}

fn write_errors(path: &Path, shape: &[usize], found: &[Repetition], i: usize) -> Result<(), Refusal> {
    let errors: Vec<f64> = found.iter().flat_map(|r| r.outputs[i].1.iter().copied()).collect();
    npy::write_floats(path, shape, &errors)
}

fn shape(digits: &Digits, repetitions: Option<usize>) -> Vec<usize> {
    repetitions.into_iter().chain([digits.values.len(), digits.length]).collect()
}

fn phases(found: &[Repetition]) -> Value {
    let of = |part: fn(&Repetition) -> Sample| found.iter().map(part).collect::<Vec<_>>();
    json!({"encrypt": of(|r| r.encrypt), "evaluate": of(|r| r.evaluate), "decrypt": of(|r| r.decrypt)})
}
