//! Bytes of serialized objects, in the form that TFHE-rs writes (bincode).

use serde::Serialize;
use serde_json::{json, Value};
use tfhe::core_crypto::prelude::*;

use crate::keys::{BootstrapKey, Keys};
use crate::parameters::Parameters;

/// `bootstrap_key` is that of the evaluation, in the Fourier domain.
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
    })
}

fn bytes(object: &impl Serialize) -> u64 {
    bincode::serialized_size(object).expect("it can be serialized")
}
