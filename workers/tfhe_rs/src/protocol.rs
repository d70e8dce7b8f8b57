//! The messages of workers/PROTOCOL.md.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{json, Value};

use crate::program::Program;

/// What cannot be done, and why. The worker stays healthy.
#[derive(Debug)]
pub struct Refusal {
    pub kind: &'static str,
    pub message: String,
}

pub fn bad_request(message: impl Into<String>) -> Refusal {
    Refusal { kind: "BadRequest", message: message.into() }
}

pub fn infeasible(message: impl Into<String>) -> Refusal {
    Refusal { kind: "InfeasibleParameters", message: message.into() }
}

#[derive(Deserialize)]
pub struct Request {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub id: String,
    pub parameters: Asked,
    pub program: Option<Program>,
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    #[serde(default)]
    pub folder: String,
    #[serde(default)]
    pub plan: Plan,
    #[serde(default)]
    pub options: Options,
    pub counters: Option<Vec<i32>>,
    #[serde(default)]
    pub items: Vec<Item>, // of measure alone
}

/// The parameters as they are sent: `fheasible/schemes/tfhe/parameters.py`.
#[derive(Clone, Deserialize, Serialize)]
pub struct Asked {
    pub lwe_dimension: usize,
    pub glwe_dimension: usize,
    pub polynomial_size: usize,
    pub lwe_errors: Errors,
    pub glwe_errors: Errors,
    pub pbs_base_log: usize,
    pub pbs_level: usize,
    pub ks_base_log: usize,
    pub ks_level: usize,
    pub message_modulus: u64,
    pub carry_modulus: u64,
    pub torus_bits: u32,
    pub order: Order,
    pub modulus_switch: ModulusSwitch,
    pub grouping: usize,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Errors {
    Gaussian { std: f64 },
    TUniform { bound: u32 },
}

#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    KsPbs,
    PbsKs,
}

#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModulusSwitch {
    Standard,
    Centered,
}

#[derive(Deserialize)]
#[serde(default)]
pub struct Plan {
    pub repetitions: usize,
    pub warmup: usize,
    pub threads: Option<usize>, // null leaves their number to the library
    pub min_seconds: f64,
    pub keygens: usize,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { repetitions: 1, warmup: 0, threads: Some(1), min_seconds: 0.0, keygens: 1 }
    }
}

#[derive(Deserialize)]
#[serde(default)]
pub struct Options {
    pub wrong_key: bool,
    pub check_inputs: bool,
    pub sizes: bool,
    pub every_output: bool,
    pub noise: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { wrong_key: false, check_inputs: false, sizes: true, every_output: false, noise: false }
    }
}

#[derive(Clone, Deserialize)]
pub struct Item {
    pub operation: String,
}

pub fn greeting() -> Value {
    let version = library_version();
    json!({
        "type": "hello", "protocol": 1, "library": "tfhe_rs", "version": version,
        "binding": format!("tfhe {version}"),
        "build": {
            "cpus": std::thread::available_parallelism().map_or(1, |n| n.get()),
            "profile": if cfg!(debug_assertions) { "debug" } else { "release" },
            "cpu_clock": "process",
        },
        "runtime": env!("FHEASIBLE_COMPILER"),
        "schemes": ["tfhe"],
        "operations": ["encrypt", "linear", "pick", "join", "fold", "lookup", "trivial"],
        "made_from": option_env!("FHEASIBLE_MADE_FROM").unwrap_or(""),
    })
}

/// The version of the crate `tfhe` that the lock pins.
fn library_version() -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let package = lock.split_once("name = \"tfhe\"\nversion = \"").map(|(_, rest)| rest);
    package.and_then(|rest| rest.split('"').next()).unwrap_or("unknown")
}
