//! One look-up, step by step, as TFHE-rs's own `shortint` does it, with any parameters.

use tfhe::core_crypto::prelude::*;

use crate::keys::{BootstrapKey, Keys};
use crate::parameters::Parameters;
use crate::protocol::{ModulusSwitch, Order};

pub type Ciphertext = LweCiphertextOwned<u64>;
pub type Table = GlweCiphertextOwned<u64>;

/// What look-ups of one thread work in.
pub struct Engine<'a> {
    p: &'a Parameters,
    keys: &'a Keys,
    pub rotation: Rotation<'a>,
    between: Ciphertext, // under the key that ciphertexts do not have between look-ups
}

impl<'a> Engine<'a> {
    /// `threads`: of one multi-bit bootstrap; a classic one has one thread.
    pub fn new(p: &'a Parameters, keys: &'a Keys, threads: usize) -> Engine<'a> {
        let other = if p.order == Order::KsPbs { p.lwe } else { p.large() };
        let between = LweCiphertext::new(0, other.to_lwe_size(), p.modulus());
        Engine { p, keys, rotation: Rotation::new(p, keys, threads), between }
    }

    /// The entry of the table at what `x` holds, with fresh noise.
    pub fn look_up(&mut self, x: &Ciphertext, table: &Table) -> Ciphertext {
        let mut found = LweCiphertext::new(0, self.p.between().to_lwe_size(), self.p.modulus());
        match self.p.order {
            Order::KsPbs => {
                keyswitch_lwe_ciphertext(&self.keys.switch, x, &mut self.between);
                self.rotation.bootstrap(&self.between, table, &mut found);
            }
            Order::PbsKs => {
                self.rotation.bootstrap(x, table, &mut self.between);
                keyswitch_lwe_ciphertext(&self.keys.switch, &self.between, &mut found);
            }
        }
        found
    }
}

/// What a bootstrap works in.
pub struct Rotation<'a> {
    p: &'a Parameters,
    keys: &'a Keys,
    threads: ThreadCount,
    fft: Fft,
    buffers: ComputationBuffers,
    rotated: Table,
}

impl<'a> Rotation<'a> {
    pub fn new(p: &'a Parameters, keys: &'a Keys, threads: usize) -> Rotation<'a> {
        let fft = Fft::new(p.polynomial);
        let glwe = p.glwe.to_glwe_size();
        let mut buffers = ComputationBuffers::new();
        let size = blind_rotate_assign_mem_optimized_requirement::<u64>(glwe, p.polynomial, fft.as_view());
        buffers.resize(size.unaligned_bytes_required());
        let rotated = GlweCiphertext::new(0, glwe, p.polynomial, p.modulus());
        Rotation { p, keys, threads: ThreadCount(threads), fft, buffers, rotated }
    }

    /// Modulus switch, blind rotation and extraction: from the small key to the large one.
    pub fn bootstrap(&mut self, small: &Ciphertext, table: &Table, large: &mut Ciphertext) {
        self.rotated.as_mut().copy_from_slice(table.as_ref());
        match &self.keys.bootstrap {
            BootstrapKey::Classic(key) => {
                let switched = switched(self.p, small);
                let stack = self.buffers.stack();
                blind_rotate_assign_mem_optimized(
                    &switched,
                    &mut self.rotated,
                    key,
                    self.fft.as_view(),
                    stack,
                );
            }
            BootstrapKey::MultiBit(key) => {
                let switched = StandardMultiBitModulusSwitchedCt {
                    input: small.as_view(),
                    grouping_factor: key.grouping_factor(),
                    log_modulus: self.p.polynomial.to_blind_rotation_input_modulus_log(),
                };
                multi_bit_blind_rotate_assign(&switched, &mut self.rotated, key, self.threads, false);
            }
        }
        extract_lwe_sample_from_glwe_ciphertext(&self.rotated, large, MonomialDegree(0));
    }
}

type Switched<'a> = LazyStandardModulusSwitchedLweCiphertext<u64, usize, &'a [u64]>;

/// The ciphertext modulo 2N, computed as it is read.
pub fn switched<'a>(p: &Parameters, small: &'a Ciphertext) -> Switched<'a> {
    let log_modulus = p.polynomial.to_blind_rotation_input_modulus_log();
    match p.modulus_switch {
        ModulusSwitch::Standard => lwe_ciphertext_modulus_switch(small.as_view(), log_modulus),
        ModulusSwitch::Centered => {
            lwe_ciphertext_centered_binary_modulus_switch(small.as_view(), log_modulus)
        }
    }
}

/// A table as the polynomial that is rotated.
pub fn polynomial_of(p: &Parameters, entries: &[u64]) -> Table {
    generate_programmable_bootstrap_glwe_lut(
        p.polynomial,
        p.glwe.to_glwe_size(),
        p.plaintext_modulus as usize,
        p.modulus(),
        p.delta(),
        |i: u64| entries[i as usize],
    )
}

/// What a phase holds, in [0, 2 * modulus): from the modulus on, it has left its range. Then its error, as a
/// part of the torus.
pub fn decoded(p: &Parameters, phase: u64) -> (i64, f64) {
    let delta = p.delta();
    let nearest = phase.wrapping_add(delta / 2) / delta;
    let error = phase.wrapping_sub(nearest.wrapping_mul(delta)) as i64;
    (nearest as i64, error as f64 / 2f64.powi(64))
}
