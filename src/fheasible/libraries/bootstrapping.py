"""What is asked of a library's bootstrapping, and what the library makes of it."""

from dataclasses import dataclass

from fheasible.schemes.rns.bootstrap.procedure import Procedure, Wave

Bits = tuple[int, ...]
Primes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BootstrapRequest:
    """What a user of a library would set for its bootstrapping; None leaves the library's default.

    The request that it belongs to has, as `depth`, the levels that are left after a bootstrap.
    """

    slots: int | None = None  # how many different slots a ciphertext has: a power of two up to N/2
    encode_levels: int | None = None  # levels of coefficients to slots (OpenFHE: levelBudget[0])
    decode_levels: int | None = None  # levels of slots to coefficients (OpenFHE: levelBudget[1])
    iterations: int | None = None  # Meta-BTS: 1 or more (OpenFHE: at most 2)
    iteration_bits: int | None = None  # the precision that the first iteration is believed to have
    message_bits: int | None = None  # OpenFHE: correction factor; Lattigo: LogMessageRatio
    ephemeral: int | None = None  # Lattigo: weight of the ephemeral secret, 0 for none
    weight: int | None = None  # Lattigo: weight of the main secret
    encode_bits: Bits | None = None  # Lattigo: bits of the plaintexts' scales, factor by factor
    decode_bits: Bits | None = None
    reduction_bits: int | None = None  # Lattigo: bits of the primes of the modular reduction
    bound: int | None = None  # Lattigo: K
    degree: int | None = None  # Lattigo: Mod1Degree
    doublings: int | None = None  # Lattigo: DoubleAngle
    inverse_degree: int | None = None  # Lattigo: Mod1InvDegree
    wave: Wave | None = None  # Lattigo: Mod1Type
    special_bits: Bits | None = None  # Lattigo: the primes of P while bootstrapping
    table_bits: int | None = None  # OpenFHE: a table of 2^bits entries is looked up (EvalFBT)
    table_order: int | None = None  # OpenFHE: 1, 2 or 3 derivatives of its interpolation are zero


@dataclass(frozen=True, slots=True)
class Bootstrapping:
    """The bootstrap that a parameter set has, and the moduli that it computes with.

    `q` is the whole chain. Its first primes are those of the set; the bootstrap uses the others up.
    """

    procedure: Procedure
    q: Primes
    p: Primes
    digits: int
    weight: int | None = None  # of the main secret; None: uniform ternary
    ephemeral_p: Primes = ()  # special primes of the key to the ephemeral secret, beside the first prime of q
