"""OpenFHE's decryption, imitated step by step as its source has it, on coefficients that are drawn."""

from dataclasses import replace
from math import inf, log2

import numpy as np
import pytest

import fheasible as fh
from fheasible.libraries.parameters import CkksParameters, request_for
from fheasible.lowering.lower import lower
from fheasible.noise.ckks.decryption import added_variance, refusal_bits
from fheasible.noise.reach.gains import gains
from fheasible.noise.reach.sources import Source

from .programs import CKKS, program

N, BITS, SLOTS = 1024, 40, 128
ON_AVERAGE = log2(SLOTS)  # the chance of which every slot is beyond
FOUND = replace(program("product"), slots=SLOTS)
P = CkksParameters(
    "openfhe", "ckks", N, (2**50, 2**40), scales=(2.0**BITS,) * 2, levels=1,
    request=request_for("ckks", 1, scale_bits=BITS),
)  # fmt: skip


def slots_of(coefficients: np.ndarray) -> np.ndarray:
    n = len(coefficients)
    roots = np.exp(1j * np.pi * np.arange(n) / n)
    return n * np.fft.ifft(coefficients * roots)


def decoded(draw: np.random.Generator, deviation: float) -> tuple[np.ndarray, float]:
    """The real slots, over the scale, of noise alone; and the deviation that `StdDev` finds."""
    c = draw.normal(0, deviation, 2 * SLOTS)  # what is read of the N coefficients
    mirrored = -np.concatenate([[-c[0]], c[:0:-1]])  # m(1/X)
    seen = 0.5 * np.std(c - mirrored)
    widened = np.sqrt(2) * max(seen, 0.125 * N**0.5)
    real = (c + mirrored) / 2 + draw.normal(0, widened, 2 * SLOTS)
    return slots_of(real).real / 2.0**BITS, seen


def offset(draw: np.random.Generator) -> np.ndarray:
    """(1 + X + X^2 + ...) (1 + s) of a ternary s, as a division leaves it whose remainders have a mean."""
    secret = draw.integers(-1, 2, 2 * SLOTS).astype(np.float64)
    secret[0] += 1
    below = np.cumsum(secret)
    return 2 * below - below[-1]  # X^n is -1


def test_of_an_offset_openfhe_sees_what_is_left_without_the_coefficients_mean() -> None:
    """All of it counts in the norm. In 1,000 draws a square that varies like that of one normal number is
    known to 4.5 %."""
    draw = np.random.default_rng(3)
    offsets = np.array([offset(draw) for _ in range(1000)])
    norms = np.sum(offsets**2, axis=1)
    mirrored = np.concatenate([offsets[:, :1], -offsets[:, :0:-1]], axis=1)  # e(1/X)
    seen = np.array([4 * np.std(half) ** 2 * 2 * SLOTS / 2 for half in (offsets - mirrored) / 2])
    turned = program("rotated", slots=SLOTS, length=SLOTS)
    known = gains(turned, {v: np.ones(SLOTS) for v in "xy"})
    at = known.sources.index(Source("division", 0, (0, 1)))
    of_one = 2 * SLOTS * (1 + 2 / 3 * 2 * SLOTS)  # the norm's square, of unit variance in all slots
    assert known.whole[at, 0] == pytest.approx(np.mean(norms) / of_one, rel=0.2)
    assert known.whole[at, 0] == pytest.approx(1)
    assert known.seen[at, 0] == pytest.approx(np.mean(seen) / of_one, rel=0.2)


def test_of_an_offset_that_has_been_turned_away_openfhe_sees_all() -> None:
    """Of a rotation of a rotation: the mean that it takes off is that of the last one's offset alone."""
    draw = np.random.default_rng(4)
    where = np.arange(2 * SLOTS) * pow(5, 3, 4 * SLOTS) % (4 * SLOTS)  # X^i goes to X^(5^3 i)
    errors = []
    for _ in range(1000):
        last = offset(draw)
        error = last.copy()
        error[where % (2 * SLOTS)] += np.where(where < 2 * SLOTS, last, -last)
        errors.append(error)
    halves = [(e + np.concatenate([-e[:1], e[:0:-1]])) / 2 for e in errors]
    seen = np.mean([4 * np.std(half) ** 2 * 2 * SLOTS / 2 for half in halves])
    of_one = 2 * SLOTS * (1 + 2 / 3 * 2 * SLOTS)
    declared = {"x": fh.reals(SLOTS, low=-1, high=1)}
    circuit = fh.app(**declared)(lambda x: fh.rotate(x + fh.rotate(x, 1), 3)).trace()
    known = gains(lower(circuit, CKKS, SLOTS), {"x": np.ones(SLOTS)})
    at = known.sources.index(Source("division", 0, (0, 1)))
    assert known.whole[at, 0] == pytest.approx(2)
    assert known.seen[at, 0] == pytest.approx(4 / 3)
    assert known.seen[at, 0] == pytest.approx(seen / of_one, rel=0.2)


def test_the_whole_of_what_only_turns_does_not_hang_on_the_slots_that_are_judged() -> None:
    """One of 1,024 slots has most of an offset, and another most of the rest."""
    turned = program("turned and added", slots=1024, length=1024)
    known = gains(turned, {v: np.ones(1024) for v in "xy"})
    assert len(known.judged.of_columns) < 40
    kinds = {s.kind: whole[0] for s, whole in zip(known.sources, known.whole, strict=True)}
    assert kinds["digits"] == pytest.approx(2)
    assert kinds["division"] == pytest.approx(4)  # one mean and one secret, twice


@pytest.mark.parametrize("deviation", [300.0, 1.0], ids=["much noise", "less than it takes for possible"])
def test_decryption_adds_to_each_slot_what_its_source_says(deviation: float) -> None:
    draw = np.random.default_rng(1)
    own = SLOTS * deviation**2 / 4.0**BITS
    measured = np.mean([decoded(draw, deviation)[0] ** 2 for _ in range(300)])
    added = added_variance(FOUND, P, np.array([own]))
    assert own + added[0] == pytest.approx(measured, rel=0.03, abs=0)


def test_it_refuses_at_five_bits_of_what_it_sees() -> None:
    draw = np.random.default_rng(2)
    for deviation in (2.0**20, 2.0**34.5, 2.0**37):
        seen = np.mean([decoded(draw, deviation)[1] for _ in range(50)])
        left = refusal_bits(FOUND, P, np.array([SLOTS * deviation**2 / 4.0**BITS]), ON_AVERAGE)
        assert left == pytest.approx(BITS - 5 - log2(seen), abs=0.05)


@pytest.mark.parametrize("slots", [1, 4, 32, 512])
@pytest.mark.parametrize("log2_chance", [-3.0, -6.0])
def test_of_few_slots_it_sees_more_than_on_average_now_and_then(slots: int, log2_chance: float) -> None:
    """Drawn as a normal number times a slot of the secret: in a ring that has no second copy."""
    found, p = replace(FOUND, slots=slots), replace(P, ring_dimension=2 * slots)
    draw = np.random.default_rng(5)
    secrets = np.sqrt(draw.exponential(1, (20_000, slots)))
    seen = np.sqrt(np.mean((secrets * draw.normal(0, 1, (20_000, slots))) ** 2, axis=1))
    known = np.array([slots / 4.0**BITS])
    on_average = refusal_bits(found, p, known, log2(slots))
    factor = 2 ** (on_average - refusal_bits(found, p, known, log2_chance))
    assert 0.93 < factor / np.quantile(seen, 1 - 2**log2_chance) < 1.25


def test_of_one_number_in_all_slots_it_sees_one_imaginary_part() -> None:
    """What was summed with it stands in one coefficient: once in 64 times that is far out by itself."""
    draw = np.random.default_rng(6)
    found, p = replace(FOUND, slots=512), replace(P, ring_dimension=1024)
    seen = np.abs(np.sqrt(draw.exponential(1, 100_000)) * draw.normal(0, 1, 100_000))
    known = np.array([512 / 4.0**BITS])
    on_average = refusal_bits(found, p, known, 9.0)
    factor = 2 ** (on_average - refusal_bits(found, p, known, -6.0, np.array([True])))
    assert 0.93 < factor / np.quantile(seen, 1 - 2**-6.0) < 1.25
    assert refusal_bits(found, p, known, -6.0) > refusal_bits(found, p, known, -6.0, np.array([True])) + 1


def test_the_noisiest_value_is_refused_first() -> None:
    assert refusal_bits(FOUND, P, np.array([1e-9, 1e-3])) == refusal_bits(FOUND, P, np.array([1e-3]))


def test_other_libraries_add_nothing_and_refuse_nothing() -> None:
    for library in ("seal", "lattigo"):
        p = replace(P, library=library)
        assert added_variance(FOUND, p, np.array([1.0])) == 0
        assert refusal_bits(FOUND, p, np.array([1e9])) == inf
