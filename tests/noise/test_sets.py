"""A block of sets has the figures that its sets have one by one."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.node import Kind
from fheasible.errors import FheasibleError
from fheasible.libraries.block import CkksBlock, block_of
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.lowering.lower import lower
from fheasible.noise.ckks.elements import refusal_bits, variance, whole_variance
from fheasible.noise.ckks.flooding import noise_bits, noise_estimate
from fheasible.noise.ckks.headroom import headroom_bits, room_bits, smallest_number_bits, tightest
from fheasible.noise.ckks.precision import precision
from fheasible.noise.primitive import fresh, key_sigma, keyed, switched
from fheasible.noise.reach.gains import Gains, gains
from fheasible.program.types import Program

Floats = NDArray[np.float64]
N = 1 << 14
FIGURES = (
    "bits", "assured_bits", "mean_bits", "assured_mean", "noise", "approximation", "worst_error",
    "assured_absolute", "assured_relative", "worst_slot_bits", "absolute_error",
)  # fmt: skip
"""Of `Precision`, by name."""
APPS = {
    "a sum of reals": fh.app(x=fh.reals(300, low=-1, high=1))(lambda x: fh.sum(x * x * x) * 0.3),
    "a series, element by element": fh.app(x=fh.reals(300, low=0, high=1))(
        lambda x: fh.sqrt(x, low=0, high=1, degree=15)
    ),
    "slots that mix": fh.app(x=fh.reals(40, low=0, high=1))(lambda x: (x - fh.mean(x)) ** 2 * x),
    "several outputs": fh.app(x=fh.reals(40, low=0, high=1))(
        lambda x: {"a": fh.sum(x), "b": fh.rotate(x, 3) * x, "c": x * np.linspace(-1, 1, 40) - 0.5}
    ),
    "integers": fh.app(x=fh.integers(100, low=0, high=15), y=fh.integers(100, low=0, high=15))(
        lambda x, y: fh.inner_product(x, y)
    ),
    "a long vector": fh.app(x=fh.reals(65_536, low=0, high=1))(lambda x: 3 * x * x - x),
}
LAYOUTS: dict[str, tuple[str, dict[str, object]]] = {
    "seal": ("seal", {}),
    "lattigo, one special prime": ("lattigo", {"special_bits": (55,)}),
    "lattigo, two": ("lattigo", {"special_bits": (50, 50)}),
    "lattigo, none": ("lattigo", {"special_bits": ()}),
    **{t: ("openfhe", {"technique": t}) for t in CATALOGUE["openfhe"].techniques},
    "openfhe, two digits": ("openfhe", {"technique": "flexibleauto", "digits": 2}),
    "openfhe, bv": ("openfhe", {"technique": "fixedauto", "key_switching": "bv"}),
    "openfhe, flooding": ("openfhe", {"technique": "fixedmanual", "noise_estimate": 5.0}),
}
_KNOWN: dict[tuple[str, str], tuple[Program, Gains, dict[str, Floats]]] = {}


def prepared(app: str, layout: str) -> tuple[Program, Gains, dict[str, Floats]]:
    """The program, its gains, and results that are a little off."""
    if (app, layout) not in _KNOWN:
        name, settings = LAYOUTS[layout]
        technique = settings.get("technique")
        style = CATALOGUE[name].style("ckks", str(technique) if technique else None)
        circuit = APPS[app].trace()
        found = lower(circuit, style, min(1 << (circuit.inputs[0].length - 1).bit_length(), N // 2))
        draw = np.random.default_rng(5)
        values = {i.name: np.rint(draw.uniform(i.low, i.high, i.length)) for i in circuit.inputs}
        if circuit.kind is Kind.REAL:
            values = {i.name: draw.uniform(i.low, i.high, i.length) for i in circuit.inputs}
        known = gains(found, values)
        truth = {k: v + 1e-9 * draw.normal(size=len(v)) for k, v in known.outputs.items()}
        _KNOWN[app, layout] = found, known, truth
    return _KNOWN[app, layout]


def made(layout: str, depth: int, scale: int, first: int) -> Parameters | None:
    name, settings = LAYOUTS[layout]
    request = request_for("ckks", depth, None, scale_bits=scale, first_bits=first, ring_dimension=N)
    try:
        return CATALOGUE[name].parameters(replace(request, **settings))  # type: ignore[arg-type]
    except FheasibleError:
        return None


def alike(sets: list[Parameters]) -> list[Parameters]:
    """Those of the first one's layout."""
    shape = [(len(p.q), len(p.p), len(p.scales), p.digits, p.extended_limbs) for p in sets]
    return [p for p, s in zip(sets, shape, strict=True) if s == shape[0]]


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=8)
@given(
    st.sampled_from(list(APPS)),
    st.lists(st.tuples(st.integers(24, 50), st.integers(51, 60)), min_size=2, max_size=5),
)
def test_figures_of_a_block_are_those_of_its_sets(
    layout: str, app: str, sizes: list[tuple[int, int]]
) -> None:
    program, known, truth = prepared(app, layout)
    one_by_one = [p for p in (made(layout, program.levels, *bits) for bits in sizes) if p]
    assume(one_by_one)
    sets = alike(one_by_one)
    block = block_of(sets)
    found, wanted = (
        precision(program, block, known, truth),
        [precision(program, p, known, truth) for p in sets],
    )
    for name in FIGURES:
        same(getattr(found, name), [getattr(one, name) for one in wanted])
    same(headroom_bits(program, block, known), [headroom_bits(program, p, known) for p in sets])
    for i in (0, 1):
        same(tightest(program, block, known)[i], [tightest(program, p, known)[i] for p in sets])
    same(room_bits(block, 1, (0, 1)), [room_bits(p, 1, (0, 1)) for p in sets])
    smallest = [smallest_number_bits(program, p, known) for p in sets]
    same(smallest_number_bits(program, block, known), smallest)
    same(refusal_bits(program, block, known), [refusal_bits(program, p, known) for p in sets])
    same(variance(program, block, known), [variance(program, p, known) for p in sets])
    whole = [whole_variance(program, p, known) for p in sets]
    same(whole_variance(program, block, known), whole)
    for bits in (noise_bits, noise_estimate):
        wanted_bits = [bits(program, p, w) for p, w in zip(sets, whole, strict=True)]
        same(bits(program, block, np.array(whole)), wanted_bits)


def numbered(keys: list[object]) -> NDArray[np.int64]:
    known = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    return np.array([known[key] for key in keys])


@pytest.mark.parametrize("app", ["slots that mix", "several outputs"])
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "seal"])  # P as large as q[0]
def test_what_sets_have_in_common_may_be_told(app: str, layout: str) -> None:
    """Sets that differ in the first prime alone lie between two of them, in all that they add."""
    program, known, truth = prepared(app, layout)
    sizes = [(scale, first) for scale in (33, 41) for first in range(51, 61)]
    sets = alike([p for p in (made(layout, program.levels, *bits) for bits in sizes) if p])
    block = block_of(sets)
    told = replace(
        block, ladder=numbered([(p.q[1:], p.scales) for p in sets]), end=numbered([p.p for p in sets])
    )
    assert told.ends is not None
    assert len(told.ends.sets) < len(told)
    found, wanted = (precision(program, sets, known, truth) for sets in (told, block))
    for name in FIGURES:
        same(getattr(found, name), getattr(wanted, name))
    same(variance(program, told, known), variance(program, block, known))
    same(whole_variance(program, told, known), whole_variance(program, block, known))


def same(of_block: object, one_by_one: object) -> None:
    np.testing.assert_allclose(np.asarray(of_block), np.asarray(one_by_one), rtol=1e-9, atol=0)


def test_one_set_has_floats_and_a_block_an_entry_for_each_set() -> None:
    program, known, truth = prepared("integers", "seal")
    p = made("seal", program.levels, 40, 55)
    assert p is not None
    one, block = precision(program, p, known, truth), precision(program, block_of([p, p]), known, truth)
    assert all(type(getattr(one, name)) is float for name in FIGURES)
    assert all(getattr(block, name).shape == (2,) for name in FIGURES)
    assert block.bits[1] == pytest.approx(one.bits, rel=1e-9)
    for figure in (headroom_bits(program, p, known), refusal_bits(program, p, known), fresh(p)):
        assert type(figure) is float
    assert refusal_bits(program, block_of([p, p]), known).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_key_switching_is_added_up_digit_by_digit_at_every_level(layout: str) -> None:
    """Written out [BEHZ16]: digits of so many limbs, each times a key's error and its own modulus, over P."""
    p = made(layout, 7, 40, 55)
    assert p is not None
    per_digit = CATALOGUE[p.library].limbs_per_digit(p)
    for level in range(p.limbs):
        limbs = min(level + 1 + p.extended_limbs, p.limbs)
        digits = [p.q[i : min(i + per_digit, limbs)] for i in range(0, limbs, per_digit)]
        fast = p.library == "openfhe" and p.key_switching != "bv"  # a sum of as many as it has limbs
        spread = sum(prod(d) ** 2 / 12 * (len(d) if fast else 1) for d in digits)
        offset = sum(prod(d) ** 2 * (len(d) / 2) ** 2 for d in digits) if fast or p.library == "seal" else 0
        key = N * key_sigma(p) ** 2 / (1 if p.key_switching == "bv" else prod(p.p) ** 2)
        found = keyed(p, level)
        assert found.spread == pytest.approx(key * spread, rel=1e-9, abs=0)
        assert found.offset == pytest.approx(key * offset, rel=1e-9, abs=0)
        assert switched(p, level).spread >= found.spread


def test_a_large_block_of_long_vectors_has_the_figures_of_its_sets_to_the_last() -> None:
    """So large that the chances of its elements are reckoned in parts."""
    program, known, truth = prepared("a long vector", "seal")
    found = [made("seal", program.levels, 26 + i, 58) for i in range(20)]
    sets = alike([p for p in found if p])
    assert len(sets) == 20
    wanted = [precision(program, p, known, truth).worst_slot_bits for p in sets]
    block = precision(program, block_of(sets), known, truth)
    same(block.worst_slot_bits, wanted)


@pytest.mark.parametrize("layout", ["seal", "openfhe, two digits"])
def test_figures_are_the_same_in_whatever_order_they_are_asked_for(layout: str) -> None:
    program, known, truth = prepared("slots that mix", layout)
    p = made(layout, program.levels, 40, 55)
    assert p is not None
    block = block_of([p, p])
    for sets in (p, block):
        whole = precision(program, sets, known, truth)
        forth = {name: getattr(whole, name) for name in FIGURES}
        late = precision(program, sets, known, truth)
        for name in reversed(FIGURES):
            np.testing.assert_array_equal(getattr(late, name), forth[name])
        for name in FIGURES:  # alone
            np.testing.assert_array_equal(getattr(precision(program, sets, known, truth), name), forth[name])


def test_what_decides_needs_no_median(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a third of all that the precision of many sets takes."""
    program, known, truth = prepared("slots that mix", "seal")
    p = made("seal", program.levels, 40, 55)
    assert p is not None
    monkeypatch.setattr("fheasible.noise.ckks.precision._median_part", None)
    found = precision(program, block_of([p, p]), known, truth)
    assert found.assured_bits.shape == found.assured_absolute.shape == found.worst_error.shape == (2,)
    with pytest.raises(TypeError):
        _ = found.bits


SWITCHED = {
    "lattigo": [("lattigo", {"special_bits": (55,) * many}) for many in (1, 2, 3)],
    "openfhe": [("openfhe", {"technique": "flexibleauto", "digits": many}) for many in (1, 2)],
    "openfhe, fixed": [("openfhe", {"technique": "fixedauto", "digits": many}) for many in (1, 2)],
}


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("app", ["slots that mix", "several outputs", "integers"])
@pytest.mark.parametrize("name", SWITCHED)
def test_sets_that_differ_in_key_switching_are_judged_together_as_apart(
    name: str, app: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of a block that have digits and special primes of their own, whether ladders are told or not."""
    parts = list[CkksBlock]()
    for i, layout in enumerate(SWITCHED[name]):
        monkeypatch.setitem(LAYOUTS, f"{name} {i}", layout)
        program, known, truth = prepared(app, f"{name} 0")
        sizes = [(scale, first) for scale in (33, 41) for first in range(51, 58)]
        sets = alike([p for p in (made(f"{name} {i}", program.levels, *bits) for bits in sizes) if p])
        block = block_of(sets)
        ladder, end = numbered([(p.q[1:], p.scales) for p in sets]), numbered([p.p for p in sets])
        parts.append(replace(block, ladder=ladder, end=end) if told else block)
    assert len({(len(part.p), part.digits) for part in parts}) == len(parts)
    together, apart = (
        precision(program, CkksBlock.joined(parts), known, truth),
        [precision(program, part, known, truth) for part in parts],
    )
    for figure in (*FIGURES, "refusal_bits"):
        same(getattr(together, figure), np.concatenate([getattr(each, figure) for each in apart]))
    assert any(len(set(each.noise.round(15))) > 1 for each in apart)
    few = np.array([0, len(together.noise) - 1])
    assert len(CkksBlock.joined(parts).take(few)) == 2
