//! Parameters as TFHE-rs has them, checked: what is wrong is refused with what is possible.

use serde_json::{json, Value};
use tfhe::core_crypto::prelude::*;

use crate::protocol::{infeasible, Asked, Errors, ModulusSwitch, Order, Refusal};

pub type Modulus = CiphertextModulus<u64>;
pub const LEAST_POLYNOMIAL: usize = 32; // TFHE-rs's Fourier transform has no shorter one
pub const MOST_POLYNOMIAL: usize = 1 << 17;

pub struct Parameters {
    pub lwe: LweDimension,
    pub glwe: GlweDimension,
    pub polynomial: PolynomialSize,
    pub lwe_errors: DynamicDistribution<u64>,
    pub glwe_errors: DynamicDistribution<u64>,
    pub pbs: (DecompositionBaseLog, DecompositionLevelCount),
    pub ks: (DecompositionBaseLog, DecompositionLevelCount),
    pub plaintext_modulus: u64,
    pub order: Order,
    pub modulus_switch: ModulusSwitch,
    pub grouping: usize,
    pub asked: Asked,
}

impl Parameters {
    pub fn checked(asked: &Asked) -> Result<Parameters, Refusal> {
        check(asked)?;
        Ok(Parameters {
            lwe: LweDimension(asked.lwe_dimension),
            glwe: GlweDimension(asked.glwe_dimension),
            polynomial: PolynomialSize(asked.polynomial_size),
            lwe_errors: distribution(asked.lwe_errors),
            glwe_errors: distribution(asked.glwe_errors),
            pbs: (DecompositionBaseLog(asked.pbs_base_log), DecompositionLevelCount(asked.pbs_level)),
            ks: (DecompositionBaseLog(asked.ks_base_log), DecompositionLevelCount(asked.ks_level)),
            plaintext_modulus: asked.message_modulus * asked.carry_modulus,
            order: asked.order,
            modulus_switch: asked.modulus_switch,
            grouping: asked.grouping,
            asked: asked.clone(),
        })
    }

    /// The torus is that of 64 bits.
    pub fn modulus(&self) -> Modulus {
        Modulus::new_native()
    }

    /// The distance of two plaintexts on the torus; the highest bit is padding.
    pub fn delta(&self) -> u64 {
        (1 << 63) / self.plaintext_modulus
    }

    /// The dimension of the large key.
    pub fn large(&self) -> LweDimension {
        self.glwe.to_equivalent_lwe_dimension(self.polynomial)
    }

    /// The dimension of the key that ciphertexts have between look-ups.
    pub fn between(&self) -> LweDimension {
        match self.order {
            Order::KsPbs => self.large(),
            Order::PbsKs => self.lwe,
        }
    }

    /// The errors of fresh encryptions.
    pub fn fresh_errors(&self) -> DynamicDistribution<u64> {
        match self.order {
            Order::KsPbs => self.glwe_errors,
            Order::PbsKs => self.lwe_errors,
        }
    }

    pub fn described(&self, id: &str) -> Value {
        json!({
            "type": "described", "id": id, "ring_dimension": self.polynomial.0,
            "q": [(1u128 << 64).to_string()], "p": [], "digits": null, "plain_modulus": self.plaintext_modulus,
        })
    }
}

fn distribution(errors: Errors) -> DynamicDistribution<u64> {
    match errors {
        Errors::Gaussian { std } => DynamicDistribution::new_gaussian_from_std_dev(StandardDev(std)),
        Errors::TUniform { bound } => DynamicDistribution::new_t_uniform(bound),
    }
}

/// Refuses what TFHE-rs does not have, or would panic at.
fn check(p: &Asked) -> Result<(), Refusal> {
    let size = p.polynomial_size;
    let modulus = p.message_modulus.saturating_mul(p.carry_modulus);
    let group = p.grouping;
    let wrong: [(bool, String); 9] = [
        (p.torus_bits != 64, format!("{} bits of torus; TFHE-rs's core has 64", p.torus_bits)),
        (
            !size.is_power_of_two() || !(LEAST_POLYNOMIAL..=MOST_POLYNOMIAL).contains(&size),
            format!("polynomial size {size}; it must be a power of two of {LEAST_POLYNOMIAL} to {MOST_POLYNOMIAL}"),
        ),
        (p.lwe_dimension == 0 || p.glwe_dimension == 0, "a dimension is 0; it must be 1 or more".into()),
        (
            modulus < 2 || !modulus.is_power_of_two() || modulus > size as u64,
            format!("{modulus} values in a ciphertext; it must be a power of two of 2 to {size}, the polynomial size"),
        ),
        (digits_wrong(p.pbs_base_log, p.pbs_level), gadget_words("bootstrap", p.pbs_base_log, p.pbs_level)),
        (digits_wrong(p.ks_base_log, p.ks_level), gadget_words("key switch", p.ks_base_log, p.ks_level)),
        (
            group == 0 || group > 8 || !p.lwe_dimension.is_multiple_of(group),
            format!("grouping {group}; it must be 1 to 8 and divide the LWE dimension {}", p.lwe_dimension),
        ),
        (
            group > 1 && p.modulus_switch == ModulusSwitch::Centered,
            "a centered modulus switch with multi-bit bootstraps; TFHE-rs has the standard one there".into(),
        ),
        (errors_wrong(p.lwe_errors) || errors_wrong(p.glwe_errors), "errors lie outside of the torus".into()),
    ];
    match wrong.into_iter().find(|(is, _)| *is) {
        Some((_, message)) => Err(infeasible(message)),
        None => Ok(()),
    }
}

fn digits_wrong(base_log: usize, level: usize) -> bool {
    base_log == 0 || level == 0 || base_log.saturating_mul(level) > 64
}

fn gadget_words(of: &str, base_log: usize, level: usize) -> String {
    format!("{level} digits of {base_log} bits in the {of}; there must be one or more, of 64 bits in all")
}

fn errors_wrong(errors: Errors) -> bool {
    match errors {
        Errors::Gaussian { std } => !(0.0..0.5).contains(&std),
        Errors::TUniform { bound } => bound > 62,
    }
}
