//! Bytes of serialized objects, in the form that TFHE-rs writes (bincode).

use serde::Serialize;
use serde_json::{json, Value};
use tfhe::core_crypto::commons::math::random::{CompressionSeed, Seed};
use tfhe::core_crypto::prelude::*;

use crate::keys::{BootstrapKey, Keys};
use crate::parameters::Parameters;

/// `bootstrap_key` is that of the evaluation, in the Fourier domain; in the `seeded` forms a seed stands for
/// masks, and nothing is transformed.
pub fn sizes(p: &Parameters, keys: &Keys, encrypts: bool) -> Value {
    let fresh = LweCiphertextOwned::new(0u64, p.between().to_lwe_size(), p.modulus());
    let bootstrap = match &keys.bootstrap {
        BootstrapKey::Classic(key) => bytes(key),
        BootstrapKey::MultiBit(key) => bytes(key),
    };
    json!({
        "ciphertext": if encrypts { bytes(&fresh) } else { 0 },
        "secret_key": bytes(&keys.secrets.small) + bytes(&keys.secrets.glwe),
        "key_switch_key": bytes(&keys.switch),
        "bootstrap_key": bootstrap,
        "seeded_ciphertext": seeded_ciphertext(p),
        "seeded_evaluation_key": seeded_bootstrap_key(p) + seeded_switch_key(p),
    })
}

fn bytes(object: &impl Serialize) -> u64 {
    bincode::serialized_size(object).expect("it can be serialized")
}

fn seed() -> CompressionSeed {
    CompressionSeed::from(Seed(0))
}

fn seeded_ciphertext(p: &Parameters) -> u64 {
    bytes(&SeededLweCiphertext::new(0u64, p.between().to_lwe_size(), seed(), p.modulus()))
}

fn seeded_switch_key(p: &Parameters) -> u64 {
    bytes(&SeededLweKeyswitchKey::new(0u64, p.ks.0, p.ks.1, p.large(), p.lwe, seed(), p.modulus()))
}

fn seeded_bootstrap_key(p: &Parameters) -> u64 {
    let (glwe, n, modulus) = (p.glwe.to_glwe_size(), p.polynomial, p.modulus());
    if p.grouping == 1 {
        return bytes(&SeededLweBootstrapKey::new(0u64, glwe, n, p.pbs.0, p.pbs.1, p.lwe, seed(), modulus));
    }
    let group = LweBskGroupingFactor(p.grouping);
    let (base, level) = p.pbs;
    bytes(&SeededLweMultiBitBootstrapKey::new(0u64, glwe, n, base, level, p.lwe, group, seed(), modulus))
}
