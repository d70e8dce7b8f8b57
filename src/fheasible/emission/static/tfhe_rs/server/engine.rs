//! One look-up, step by step, as TFHE-rs's own `shortint` does it.

use std::path::Path;

use common::{load, Ciphertext, ModulusSwitch, Order, Set};
use tfhe::core_crypto::prelude::*;

pub type Table = GlweCiphertextOwned<u64>;

/// The key of the blind rotation, of one bit of the small key each or of several.
pub enum BootstrapKey {
    Classic(FourierLweBootstrapKeyOwned),
    MultiBit(FourierLweMultiBitBootstrapKeyOwned),
}

pub struct Keys {
    pub bootstrap: BootstrapKey,
    pub switch: LweKeyswitchKeyOwned<u64>,
}

impl Keys {
    pub fn read(p: &Set, folder: &Path) -> Keys {
        let path = folder.join("bootstrap.key");
        let bootstrap = if p.grouping > 1 {
            BootstrapKey::MultiBit(load(&path))
        } else {
            BootstrapKey::Classic(load(&path))
        };
        Keys { bootstrap, switch: load(&folder.join("switch.key")) }
    }
}

/// What look-ups of one thread work in.
pub struct Engine<'a> {
    p: &'a Set,
    keys: &'a Keys,
    threads: ThreadCount, // of a multi-bit bootstrap; a classic one has one thread
    fft: Fft,
    buffers: ComputationBuffers,
    rotated: Table,
    between: Ciphertext, // under the key that ciphertexts do not have between look-ups
}

impl<'a> Engine<'a> {
    pub fn new(p: &'a Set, keys: &'a Keys, threads: usize) -> Engine<'a> {
        let (fft, glwe) = (Fft::new(p.polynomial()), p.glwe().to_glwe_size());
        let mut buffers = ComputationBuffers::new();
        let size = blind_rotate_assign_mem_optimized_requirement::<u64>(glwe, p.polynomial(), fft.as_view());
        buffers.resize(size.unaligned_bytes_required());
        let rotated = GlweCiphertext::new(0, glwe, p.polynomial(), p.modulus());
        let other = if p.order == Order::KsPbs { p.lwe() } else { p.large() };
        let between = LweCiphertext::new(0, other.to_lwe_size(), p.modulus());
        Engine { p, keys, threads: ThreadCount(threads), fft, buffers, rotated, between }
    }

    /// The entry of the table at what `x` holds, with fresh noise.
    pub fn look_up(&mut self, x: &Ciphertext, table: &Table) -> Ciphertext {
        let mut found = LweCiphertext::new(0, self.p.between().to_lwe_size(), self.p.modulus());
        let mut between =
            std::mem::replace(&mut self.between, LweCiphertext::new(0, LweSize(1), self.p.modulus()));
        match self.p.order {
            Order::KsPbs => {
                keyswitch_lwe_ciphertext(&self.keys.switch, x, &mut between);
                self.bootstrap(&between, table, &mut found);
            }
            Order::PbsKs => {
                self.bootstrap(x, table, &mut between);
                keyswitch_lwe_ciphertext(&self.keys.switch, &between, &mut found);
            }
        }
        self.between = between;
        found
    }

    /// Modulus switch, blind rotation and extraction: from the small key to the large one.
    fn bootstrap(&mut self, small: &Ciphertext, table: &Table, large: &mut Ciphertext) {
        self.rotated.as_mut().copy_from_slice(table.as_ref());
        let log_modulus = self.p.polynomial().to_blind_rotation_input_modulus_log();
        match &self.keys.bootstrap {
            BootstrapKey::Classic(key) => {
                let switched = match self.p.modulus_switch {
                    ModulusSwitch::Standard => lwe_ciphertext_modulus_switch(small.as_view(), log_modulus),
                    ModulusSwitch::Centered => {
                        lwe_ciphertext_centered_binary_modulus_switch(small.as_view(), log_modulus)
                    }
                };
                let (fft, stack) = (self.fft.as_view(), self.buffers.stack());
                blind_rotate_assign_mem_optimized(&switched, &mut self.rotated, key, fft, stack);
            }
            BootstrapKey::MultiBit(key) => {
                let switched = StandardMultiBitModulusSwitchedCt {
                    input: small.as_view(),
                    grouping_factor: key.grouping_factor(),
                    log_modulus,
                };
                multi_bit_blind_rotate_assign(&switched, &mut self.rotated, key, self.threads, false);
            }
        }
        extract_lwe_sample_from_glwe_ciphertext(&self.rotated, large, MonomialDegree(0));
    }
}

/// A table as the polynomial that is rotated.
pub fn polynomial_of(p: &Set, entries: &[u64]) -> Table {
    generate_programmable_bootstrap_glwe_lut(
        p.polynomial(),
        p.glwe().to_glwe_size(),
        p.values() as usize,
        p.modulus(),
        p.delta(),
        |i: u64| entries[i as usize],
    )
}
