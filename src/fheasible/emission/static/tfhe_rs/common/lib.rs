//! What client and server share: the parameters, and objects in files.

use std::fs::{create_dir_all, read_to_string, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tfhe::core_crypto::prelude::*;

pub type Modulus = CiphertextModulus<u64>;
pub type Ciphertext = LweCiphertextOwned<u64>;
/// A vector of ciphertexts, each of which holds an integer in [0, message times carry).
pub type Value = Vec<Ciphertext>;

pub const TO_SERVER: &str = "to_server";
pub const TO_CLIENT: &str = "to_client";

/// `parameters.json`.
#[derive(Deserialize)]
pub struct Parameters {
    pub threads: Option<usize>,
    pub tfhe: Set,
    pub inputs: Vec<Digits>,
    pub outputs: Vec<Digits>,
}

#[derive(Deserialize)]
pub struct Set {
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
    pub order: Order,
    pub modulus_switch: ModulusSwitch,
    pub grouping: usize, // bits of the small key that one external product takes
}

#[derive(Clone, Copy, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Errors {
    Gaussian { std: f64 },
    TUniform { bound: u32 },
}

/// Which key ciphertexts have between look-ups: the large one, or the small one.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    KsPbs,
    PbsKs,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModulusSwitch {
    Standard,
    Centered,
}

/// How numbers lie in digits: the sum of base^i times digit i, plus `low`, modulo `modulus` where that is set;
/// real numbers are that times 2^-fraction.
#[derive(Deserialize)]
pub struct Digits {
    pub name: String,
    pub file: String,
    pub length: usize,
    pub digits: usize,
    pub base: i128,
    pub low: i128,
    pub modulus: Option<i128>,
    pub fraction: Option<i32>,
}

impl Parameters {
    /// Those of the folder where the program is started.
    pub fn read() -> Parameters {
        let text = read_to_string("parameters.json").unwrap_or_else(|e| panic!("parameters.json: {e}"));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("parameters.json: {e}"))
    }
}

impl Set {
    pub fn lwe(&self) -> LweDimension {
        LweDimension(self.lwe_dimension)
    }

    pub fn glwe(&self) -> GlweDimension {
        GlweDimension(self.glwe_dimension)
    }

    pub fn polynomial(&self) -> PolynomialSize {
        PolynomialSize(self.polynomial_size)
    }

    pub fn pbs(&self) -> (DecompositionBaseLog, DecompositionLevelCount) {
        (DecompositionBaseLog(self.pbs_base_log), DecompositionLevelCount(self.pbs_level))
    }

    pub fn ks(&self) -> (DecompositionBaseLog, DecompositionLevelCount) {
        (DecompositionBaseLog(self.ks_base_log), DecompositionLevelCount(self.ks_level))
    }

    /// The torus is that of 64 bits.
    pub fn modulus(&self) -> Modulus {
        Modulus::new_native()
    }

    /// How many values a ciphertext holds.
    pub fn values(&self) -> u64 {
        self.message_modulus * self.carry_modulus
    }

    /// The distance of two plaintexts on the torus; the highest bit is padding.
    pub fn delta(&self) -> u64 {
        (1 << 63) / self.values()
    }

    /// The dimension of the large key.
    pub fn large(&self) -> LweDimension {
        self.glwe().to_equivalent_lwe_dimension(self.polynomial())
    }

    /// The dimension of the key that ciphertexts have between look-ups.
    pub fn between(&self) -> LweDimension {
        match self.order {
            Order::KsPbs => self.large(),
            Order::PbsKs => self.lwe(),
        }
    }
}

impl Errors {
    pub fn distribution(&self) -> DynamicDistribution<u64> {
        match *self {
            Errors::Gaussian { std } => DynamicDistribution::new_gaussian_from_std_dev(StandardDev(std)),
            Errors::TUniform { bound } => DynamicDistribution::new_t_uniform(bound),
        }
    }
}

impl Digits {
    /// The files of the digits, least first.
    pub fn files(&self, folder: &str) -> Vec<PathBuf> {
        (0..self.digits).map(|i| Path::new(folder).join(format!("{}_{i}.bin", self.file))).collect()
    }
}

/// Writes an object as TFHE-rs does, by bincode.
pub fn save(object: &impl Serialize, path: &Path) {
    if let Some(folder) = path.parent() {
        create_dir_all(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    }
    let file = File::create(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    bincode::serialize_into(BufWriter::new(file), object)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

pub fn load<T: DeserializeOwned>(path: &Path) -> T {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    bincode::deserialize_from(BufReader::new(file)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
