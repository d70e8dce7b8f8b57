"""The work of TFHE's operations as kernel counts: its algorithms, run on the counting ring.

`rings/torus/kernels.py` says what each kernel is.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache

from fheasible.rings.torus.counting import CountingTorusRing
from fheasible.rings.torus.element import Domain, Torus
from fheasible.schemes.tfhe import bootstrap, glwe, lwe, packing
from fheasible.schemes.tfhe.bootstrap import BOOTSTRAP_KEY, exponent_bits
from fheasible.schemes.tfhe.lwe import SWITCH_KEY
from fheasible.schemes.tfhe.packing import PACKING_KEY
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, TfheParameters

Work = Counter[str]
ANY_ERRORS = Gaussian(0.0)  # the count is the same for all
WORDS, DIGITS = Domain.WORDS, Domain.DIGITS


class Part(StrEnum):
    """The steps of a table look-up."""

    KEY_SWITCH = "ks"
    MODULUS_SWITCH = "modulus_switch"
    BLIND_ROTATION = "blind_rotation"
    EXTRACT = "extract"


def lookup_work(parameters: TfheParameters) -> Work:
    """Kernel counts of one table look-up: key switch, modulus switch, blind rotation and extraction."""
    return sum(lookup_parts(parameters).values(), Counter())


def lookup_parts(parameters: TfheParameters) -> Mapping[Part, Work]:
    """The same for each step. The order of key switch and bootstrap changes no count.

    With groups of bits, the blind rotation switches the modulus of its mask itself.
    """
    p = parameters
    return {
        Part.KEY_SWITCH: key_switch_work(p.large_dimension, p.lwe_dimension, p.ks),
        Part.MODULUS_SWITCH: _modulus_switch(
            p.lwe_dimension, p.polynomial_size, p.modulus_switch, p.grouping
        ),
        Part.BLIND_ROTATION: blind_rotation_work(
            p.lwe_dimension, p.glwe_dimension, p.polynomial_size, p.pbs, p.grouping
        ),
        Part.EXTRACT: _extraction(p.glwe_dimension, p.polynomial_size),
    }


def _counted(compute: Callable[[CountingTorusRing], object]) -> Work:
    ring = CountingTorusRing()
    compute(ring)
    return ring.tally


def key_switch_work(old: int, new: int, gadget: Gadget) -> Work:
    """A key switch between LWE ciphertexts of these dimensions."""
    return _key_switch(old, new, gadget.level)


@lru_cache(maxsize=4096)
def _key_switch(old: int, new: int, level: int) -> Work:
    def compute(ring: CountingTorusRing) -> None:
        key = ring.given((level, old, new + 1), WORDS, key=SWITCH_KEY)
        lwe.key_switch(ring, ring.given((old + 1,), WORDS), key, Gadget(1, level))

    return _counted(compute)


@lru_cache(maxsize=4096)
def _modulus_switch(dimension: int, n: int, how: ModulusSwitch, grouping: int) -> Work:
    if grouping > 1:
        return Counter()
    c = (dimension + 1,)
    return _counted(lambda ring: lwe.modulus_switch(ring, ring.given(c, WORDS), exponent_bits(n), how))


def blind_rotation_work(dimension: int, k: int, n: int, gadget: Gadget, grouping: int = 1) -> Work:
    """The rotation of a table by a ciphertext of this dimension."""
    first, each = _blind_rotation(k, n, gadget.level, grouping)
    steps = dimension // grouping
    return Counter({name: first[name] + steps * each[name] for name in first | each})


@lru_cache(maxsize=4096)
def _blind_rotation(k: int, n: int, level: int, grouping: int) -> tuple[Work, Work]:
    """The work apart from the steps, and that of one step: counted at one step and at two, for all steps are
    alike."""
    one, two = (_rotated(steps * grouping, k, n, Gadget(1, level), grouping) for steps in (1, 2))
    return one - (two - one), two - one


def _rotated(dimension: int, k: int, n: int, gadget: Gadget, grouping: int) -> Work:
    def compute(ring: CountingTorusRing) -> None:
        row = (gadget.level, k + 1, k + 1, n)
        shape = (dimension, *row) if grouping == 1 else (dimension // grouping, 1 << grouping, *row)
        key = ring.given(shape, Domain.FOURIER_WORDS, key=BOOTSTRAP_KEY)
        table = ring.given((k + 1, n), WORDS)
        if grouping > 1:
            bootstrap.blind_rotate_groups(ring, table, ring.given((dimension + 1,), WORDS), key, gadget)
        else:
            exponents = ring.given((dimension + 1,), Domain.EXPONENTS)
            bootstrap.blind_rotate(ring, table, exponents, key, gadget)

    return _counted(compute)


@lru_cache(maxsize=256)
def _extraction(k: int, n: int) -> Work:
    return _counted(lambda ring: glwe.sample_extract(ring, ring.given((k + 1, n), WORDS)))


def packing_work(old: int, k: int, n: int, gadget: Gadget, count: int) -> Work:
    """The packing of `count` LWE ciphertexts of dimension `old` into one GLWE ciphertext."""

    def compute(ring: CountingTorusRing) -> None:
        key = ring.given((gadget.level, old, k + 1, n), WORDS, key=PACKING_KEY)
        packing.pack(ring, ring.given((count, old + 1), WORDS), key, gadget)

    return _counted(compute)


def encryption_work(dimension: int) -> Work:
    """The encryption of one number as an LWE ciphertext."""
    secret = (dimension,)
    return _counted(
        lambda ring: lwe.encrypt(ring, ring.given(secret, DIGITS), ring.given((), WORDS), ANY_ERRORS)
    )


def decryption_work(dimension: int) -> Work:
    """The phase of one LWE ciphertext."""
    secret, c = (dimension,), (dimension + 1,)
    return _counted(lambda ring: lwe.phase(ring, ring.given(secret, DIGITS), ring.given(c, WORDS)))


def key_work(parameters: TfheParameters) -> Work:
    """The bootstrapping key, transformed, and the key for the key switch."""
    p = parameters

    def compute(ring: CountingTorusRing) -> None:
        small, large = _secrets(ring, p)
        bootstrap.bootstrap_key(ring, small, large, p.pbs, p.glwe_errors, p.grouping)
        lwe.switch_key(ring, glwe.as_lwe_secret(ring, large), small, p.ks, p.lwe_errors)

    return _counted(compute)


def _secrets(ring: CountingTorusRing, p: TfheParameters) -> tuple[Torus, Torus]:
    return ring.binary((p.lwe_dimension,)), ring.binary((p.glwe_dimension, p.polynomial_size))
