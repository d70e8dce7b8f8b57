"""The error that each step adds, measured: parts of the torus, one for each ciphertext."""

import numpy as np
from numpy.typing import NDArray

from fheasible.rings.torus.element import Domain, Torus
from fheasible.schemes.tfhe import bootstrap, glwe, lwe, packing
from fheasible.schemes.tfhe.parameters import Errors, Gadget
from schemes.tfhe.running import Run

Found = NDArray[np.float64]


def signed(words: NDArray[np.uint64]) -> Found:
    return words.view(np.int64) * 2.0**-64


def large(run: Run) -> Torus:
    """The bits of the large secret."""
    return glwe.as_lwe_secret(run.scheme.ring, run.secrets.large)


def zeros(run: Run, secret: Torus, count: int, errors: Errors) -> Torus:
    """A batch of encryptions of 0."""
    ring = run.scheme.ring
    c = lwe.encrypt(ring, secret, ring.zero((count,)), errors)
    return ring.given(c.shape[1:], Domain.WORDS, c.data)


def phases(run: Run, secret: Torus, c: Torus) -> NDArray[np.uint64]:
    found: NDArray[np.uint64] = lwe.phase(run.scheme.ring, secret, c).data[:, 0]
    return found


def fresh(run: Run, count: int) -> Found:
    return signed(phases(run, run.secrets.small, _small(run, count)))


def _small(run: Run, count: int) -> Torus:
    return zeros(run, run.secrets.small, count, run.scheme.parameters.lwe_errors)


def bootstrapped(run: Run, count: int, seed: int) -> Found:
    """Errors of results under the large key, of random messages and a random table."""
    scheme = run.scheme
    p, drawn = scheme.parameters.plaintext_modulus, np.random.default_rng(seed)
    entries, messages = drawn.integers(0, p, p), drawn.integers(0, p, count)
    c = _small(run, count)
    c.data[:, -1] += run.words(messages)
    result = scheme.bootstrap(run.keys, c, scheme.table([int(e) for e in entries]))
    return signed(phases(run, large(run), result) - run.words(entries[messages]))


def key_switched(run: Run, count: int) -> Found:
    """What a key switch from the large key to the small one adds."""
    p, ring = run.scheme.parameters, run.scheme.ring
    c = zeros(run, large(run), count, p.glwe_errors)
    switched = lwe.key_switch(ring, c, run.keys.switch, p.ks)
    return signed(phases(run, run.secrets.small, switched) - phases(run, large(run), c))


def modulus_switched(run: Run, count: int) -> Found:
    """What rounding to 2N adds, in steps of 1/(2N)."""
    p, ring = run.scheme.parameters, run.scheme.ring
    bits, c = bootstrap.exponent_bits(p.polynomial_size), _small(run, count)
    exponents = lwe.modulus_switch(ring, c, bits, p.modulus_switch)
    words = exponents.data.view(np.uint64) << np.uint64(64 - bits)
    rounded = ring.given(c.shape, Domain.WORDS, words)
    difference = phases(run, run.secrets.small, rounded) - phases(run, run.secrets.small, c)
    return signed(difference) * 2 * p.polynomial_size


def packed(run: Run, count: int, gadget: Gadget) -> Found:
    """What packing N ciphertexts under the small key into one GLWE ciphertext adds: N errors for each of
    `count` packings."""
    p, ring = run.scheme.parameters, run.scheme.ring
    n = p.polynomial_size
    key = packing.packing_key(ring, run.secrets.small, run.secrets.large, gadget, p.glwe_errors)
    found = []
    for _ in range(count):
        c = lwe.encrypt(ring, run.secrets.small, ring.uniform((n,)), p.lwe_errors)  # in their order
        together = glwe.phase(ring, run.secrets.large, packing.pack(ring, c, key, gadget)).data[0]
        batch = ring.given(c.shape[1:], Domain.WORDS, c.data)
        found.append(signed(together - phases(run, run.secrets.small, batch)))
    return np.concatenate(found)
