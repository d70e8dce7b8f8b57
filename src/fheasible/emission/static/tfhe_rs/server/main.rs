//! The server evaluates what is in to_server/ and writes to_client/.

mod engine;
mod evaluate;
mod operations;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use common::{load, save, Parameters, Value, TO_CLIENT, TO_SERVER};

/// The digits of each input, by name.
pub type Inputs = BTreeMap<String, Vec<Value>>;

fn main() {
    let p = Parameters::read();
    let threads = p.threads.unwrap_or_else(rayon::current_num_threads).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| serve(&p, threads));
}

fn serve(p: &Parameters, threads: usize) {
    let keys = engine::Keys::read(&p.tfhe, Path::new(TO_SERVER));
    let digits = |files: Vec<std::path::PathBuf>| files.iter().map(|path| load(path)).collect();
    let inputs: Inputs = p.inputs.iter().map(|i| (i.name.clone(), digits(i.files(TO_SERVER)))).collect();
    let mut server = operations::Server::new(&p.tfhe, &keys, inputs, evaluate::TABLES, threads);
    let start = Instant::now();
    let outputs = evaluate::evaluate(&mut server);
    let seconds = start.elapsed().as_secs_f64();
    for output in &p.outputs {
        for (value, path) in outputs[output.name.as_str()].iter().zip(output.files(TO_CLIENT)) {
            save(value, &path);
        }
    }
    println!("evaluated in {seconds:.3} s");
}
