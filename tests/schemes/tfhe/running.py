"""Many ciphertexts at once on the exact ring, and the errors that they end up with."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fheasible.rings.torus.element import Domain, Torus
from fheasible.schemes.tfhe.exact import exact_ring
from fheasible.schemes.tfhe.parameters import Gadget, ModulusSwitch, Order, TfheParameters, TUniform
from fheasible.schemes.tfhe.scheme import EvaluationKeys, Secrets, Tfhe

INSECURE_TOY = TfheParameters(
    lwe_dimension=60,
    glwe_dimension=1,
    polynomial_size=256,
    lwe_errors=TUniform(40),
    glwe_errors=TUniform(36),  # about as much noise as what the digits drop: either, if wrong, is seen
    pbs=Gadget(9, 2),
    ks=Gadget(4, 5),
    message_modulus=2,
    carry_modulus=2,
)
VARIANTS = {
    "standard": INSECURE_TOY,
    "centered": replace(INSECURE_TOY, modulus_switch=ModulusSwitch.CENTERED),
    "bootstrap first": replace(INSECURE_TOY, order=Order.PBS_KS, ks=Gadget(4, 6), lwe_errors=TUniform(36)),
    "two polynomials": replace(INSECURE_TOY, glwe_dimension=2, polynomial_size=128),
    "groups of two": replace(INSECURE_TOY, grouping=2),
    "groups of three": replace(INSECURE_TOY, grouping=3),
    "32 bits": replace(
        INSECURE_TOY,
        torus_bits=32,
        lwe_errors=TUniform(10, 32),
        glwe_errors=TUniform(2, 32),
        pbs=Gadget(7, 3),
    ),
}


@dataclass(frozen=True, slots=True)
class Run:
    """The scheme with its keys."""

    scheme: Tfhe
    secrets: Secrets
    keys: EvaluationKeys

    @classmethod
    def of(cls, p: TfheParameters, seed: int, doubles: bool = False) -> "Run":
        scheme = Tfhe(exact_ring(p, seed, doubles), p)
        secrets = scheme.secrets()
        return cls(scheme, secrets, scheme.keys(secrets))

    def encrypted(self, messages: NDArray[np.int64]) -> Torus:
        """One ciphertext for each message, as a batch."""
        ring, scheme = self.scheme.ring, self.scheme
        words = ring.given(messages.shape, Domain.WORDS, self.words(messages))
        c = scheme.encrypt(self.secrets, words)
        return ring.given(c.shape[1:], Domain.WORDS, c.data)

    def words(self, messages: NDArray[np.int64]) -> NDArray[np.uint64]:
        return messages.astype(np.uint64) * np.uint64(self.scheme.step)

    def errors(self, c: Torus, messages: NDArray[np.int64]) -> NDArray[np.float64]:
        """Parts of the torus: how far each phase is from its message."""
        phases = self.scheme.phase(self.secrets, c).data[:, 0]
        return (phases - self.words(messages)).view(np.int64) * 2.0**-64

    @property
    def allowed(self) -> float:
        """The largest error that decrypts right."""
        return 0.25 / self.scheme.parameters.plaintext_modulus


def looked_up(run: Run, count: int, seed: int) -> NDArray[np.float64]:
    """The errors after look-ups of random messages in a random table."""
    p, drawn = run.scheme.parameters.plaintext_modulus, np.random.default_rng(seed)
    entries, messages = drawn.integers(0, p, p), drawn.integers(0, p, count)
    table = run.scheme.table([int(e) for e in entries])
    c = run.scheme.lookup(run.keys, run.encrypted(messages), table)
    return run.errors(c, entries[messages])


def in_batches(
    count: int, batch: int, make: Callable[[int, int], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """What `make(size, seed)` gives for batches of at most that size, one after the other."""
    sizes = [min(batch, count - done) for done in range(0, count, batch)]
    return np.concatenate([make(size, seed) for seed, size in enumerate(sizes)])
