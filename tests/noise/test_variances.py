"""How loud each element is, against noise that is really injected into every operation."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.lowering.lower import lower
from fheasible.noise.reach.judged import LOUD, STANDING
from fheasible.noise.reach.variances import variances
from fheasible.noise.scales import scales_of
from fheasible.noise.shape import shape
from fheasible.program.simulate import run, simulate, unpack
from fheasible.program.style import Style
from fheasible.program.types import Action, Program

from .programs import AUTOMATIC, CKKS, COMPOSITES, elements_of, with_noise

Floats = NDArray[np.float64]
Data = dict[str, Floats]
Function = Callable[[fh.Vector, fh.Vector], fh.Vector]

STEP = 1e-5
SLOTS = 16
KINDS = {Action.ENCRYPT: "encrypt", Action.RESCALE: "rescale", Action.ROTATE: "key_switch"}
SWITCHES = (Action.ROTATE, Action.RELINEARIZE)
SLOT_BY_SLOT: dict[str, Function] = {
    "product": lambda x, y: x * y,
    "shared operands": lambda x, y: (x * y + 0.3) * (x - y) - x * x,
    "cubic that is flat in places": lambda x, y: x**3 - 0.75 * x + y,
    "a part": lambda x, y: 0.3 * (x * x * y - 2 * x),
    "weighted": lambda x, y: x * np.linspace(-2, 1, len(x)) * y + y,
}


def times_matrix(x: fh.Vector, seed: int) -> fh.Vector:
    """By a random matrix."""
    return np.random.default_rng(seed).normal(size=(len(x), len(x))) @ x


SUMS: dict[str, Function] = {  # no noise of theirs meets itself in one slot
    "matrix": lambda x, y: times_matrix(x * y, 5),
    "matrix, then a square": lambda x, y: times_matrix(x, 6) ** 2 * y,
    "turned products": lambda x, y: fh.rotate(x * y, 1) * x + y,
}
CORRELATED: dict[str, Function] = {
    "rotated copies": lambda x, y: (x + fh.rotate(x, 1) + fh.rotate(x, 2)) ** 2 + fh.rotate(x, 1) * y,
    "deviation": lambda x, y: (x - fh.mean(x)) * y,
    "turned cubic": lambda x, y: fh.rotate(x**3 - 0.75 * x, 5) * y + x,
    "two layers": lambda x, y: times_matrix(times_matrix(x, 6) ** 2 * y, 5),
    "product with a sum": lambda x, y: x * fh.sum(x * y) + fh.rotate(y, 3),
}


def lowered(function: Function, length: int, slots: int, style: Style = CKKS) -> Program:
    declared = {v: fh.reals(length, low=-1, high=1) for v in "xy"}
    return lower(fh.app(**declared)(lambda x, y: function(x, y)).trace(), style, slots)


def drawn(length: int, seed: int = 3) -> Data:
    draw = np.random.default_rng(seed)
    return {"x": draw.uniform(-1, 1, length), "y": draw.normal(size=length) / 3}


def injected(found: Program, given: Data, apart: bool) -> dict[str, Floats]:
    """By kind: the variance of each output element where every slot of every operation has noise of its own.
    `apart`: no slot reaches another, so that all may be disturbed at once."""
    total: dict[str, Floats] = defaultdict(lambda: np.zeros(1))
    directions = np.ones((1, found.slots)) if apart else np.eye(found.slots)
    for i, o in enumerate(found.operations):
        if o.action not in KINDS and o.action not in SWITCHES:
            continue
        rescaled = scales_of(found)[o.out][1] == 1
        noisy = with_noise(found, i)
        for j, unit in enumerate(directions):
            ends = [simulate(noisy, given | {"noise": h * unit}) for h in (STEP, -STEP)]
            up, down = (np.concatenate(list(end.values())) for end in ends)
            square = ((up - down) / (2 * STEP)) ** 2
            if rescaled or o.action is Action.ENCRYPT:  # all else is next to nothing against a scale's square
                total[KINDS[o.action]] = total[KINDS[o.action]] + square
            if o.action in SWITCHES:
                kind = "digits" if rescaled else "digits_product"
                own = np.resize(shape(found.slots), len(square)) if apart else shape(found.slots)[j]
                total[kind] = total[kind] + own * square
    return total


def reckoned(found: Program, given: Data) -> dict[str, Floats]:
    values = {v for p in found.outputs for v in p.values}
    known = variances(found, run(found, given), values)

    def of_kind(kind: str) -> Floats:
        parts = [
            unpack(p, [np.broadcast_to(known[v].get(kind, 0.0), found.slots) for v in p.values])
            for p in found.outputs
        ]
        return np.concatenate(parts)

    return {kind: of_kind(kind) for kind in {kind for own in known.values() for kind in own}}


@pytest.mark.parametrize("name", SLOT_BY_SLOT)
def test_slot_by_slot_it_is_the_variance_that_injected_noise_arrives_with(name: str) -> None:
    found, given = lowered(SLOT_BY_SLOT[name], 40, SLOTS), drawn(40)
    wanted, came = injected(found, given, apart=True), reckoned(found, given)
    assert set(came) == set(wanted)
    for kind, variance in wanted.items():
        np.testing.assert_allclose(came[kind], variance, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", SUMS)
def test_it_is_so_of_sums_of_different_slots_too(name: str) -> None:
    found, given = lowered(SUMS[name], 20, 32), drawn(20)
    wanted, came = injected(found, given, apart=False), reckoned(found, given)
    assert {"encrypt", "rescale", "key_switch", "digits"} <= set(came) == set(wanted)
    for kind, variance in wanted.items():
        np.testing.assert_allclose(came[kind], variance, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("style", [CKKS, AUTOMATIC], ids=["manual", "automatic"])
@pytest.mark.parametrize("name", CORRELATED)
def test_where_noise_meets_itself_the_loudest_is_hardly_less_loud_than_any(name: str, style: Style) -> None:
    """What is taken for independent moves variances by some ten per cent, here, and hardly their order."""
    found, given = lowered(CORRELATED[name], 10, 16, style), drawn(10)
    wanted, came = injected(found, given, apart=False), reckoned(found, given)
    for kind in set(wanted) & set(came):
        assert wanted[kind][np.argmax(came[kind])] > 0.8 * wanted[kind].max()


def test_a_librarys_own_sum_brings_the_noise_of_its_rotations() -> None:
    """As test_gains has it: of three rotations by 1, 2 and 4, four copies, two and one, in every slot."""
    found = lowered(lambda x, y: x * fh.sum(y), 8, 8, COMPOSITES)
    given = {"x": np.arange(1.0, 9), "y": np.ones(8)}
    (summed,) = (o for o in found.operations if o.action is Action.EVAL_SUM)
    came = variances(found, run(found, given), [summed.out])[summed.out]
    np.testing.assert_allclose(came["encrypt"], 8)
    np.testing.assert_allclose(came["key_switch"], 4 + 2 + 1)
    pairs = shape(8) + np.roll(shape(8), -4)
    fours = sum(np.roll(shape(8), -k) for k in (0, 2, 4, 6))
    np.testing.assert_allclose(came["digits"], shape(8) + pairs + fours)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(range(len(SLOT_BY_SLOT))), min_size=1, max_size=2),
    st.integers(0, 2**16),
    st.dictionaries(st.sampled_from(["encrypt", "rescale"]), st.floats(0.01, 100), min_size=1),
)
def test_the_loudest_are_judged_whatever_each_kind_of_noise_amounts_to(
    names: list[int], seed: int, amounts: dict[str, float]
) -> None:
    """Of each kind the loudest; of any mixture of two at least half as loud as any."""
    functions = [list(SLOT_BY_SLOT.values())[k] for k in names]

    def nested(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        for function in functions:
            x = function(x, y)
        return x

    found, given = lowered(nested, 400, 128), drawn(400, seed)
    own = elements_of(found, given)
    variances = injected(found, given, apart=True)
    total = np.sum([amount * variances[kind] for kind, amount in amounts.items()], axis=0)
    assert total[own.elements].max() >= total.max() / len(amounts) * (1 - 1e-6)
    for variance in variances.values():
        if np.ptp(variance) > 1e-6 * variance.max():
            assert np.sort(variance[own.elements])[-LOUD:] == pytest.approx(
                np.sort(variance)[-LOUD:], rel=1e-4
            )


def test_the_loudest_for_its_size_is_judged_beside_the_smallest() -> None:
    """0.005 times 0.6, amid products of 0.01 and 0.01 that are less and carry less noise."""
    length, draw = 3000, np.random.default_rng(1)
    given = {name: draw.uniform(0.5, 1, length) for name in "xy"}
    for name in "xy":
        given[name][100:200] = 0.01
    given["x"][1234], given["y"][1234] = 0.005, 0.6
    found = lowered(lambda x, y: x * y, length, 512)
    own = elements_of(found, given)
    sample = np.random.default_rng(0).permutation(length)[:STANDING]
    assert 1234 not in sample
    assert 1234 in own.elements
    assert own.weights[own.elements == 1234] == pytest.approx(1 / length)


def test_where_no_derivative_depends_on_the_data_all_inputs_are_alike() -> None:
    draw = np.random.default_rng(1)
    linear = lowered(lambda x, y: times_matrix(x, 6) + fh.rotate(y, 3), 8, SLOTS)
    bent = lowered(lambda x, y: times_matrix(x, 6) + fh.rotate(y, 3) * x, 8, SLOTS)
    data = [{name: draw.uniform(-1, 1, 8) for name in "xy"} for _ in range(2)]
    for program, same in ((linear, True), (bent, False)):
        wanted = set(program.outputs[0].values)
        found = [variances(program, run(program, inputs), wanted) for inputs in data]
        assert (found[0] is found[1]) == same
