"""How far noise reaches, against noise that is really injected into every operation."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fheasible.noise.reach.gains import Gains, content, gains, gains_at, largest_at, seen
from fheasible.noise.reach.sources import KEY_SWITCH, Source
from fheasible.noise.scales import scales_of
from fheasible.noise.shape import shape
from fheasible.program.simulate import run, simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Operation, Program

from .programs import AUTOMATIC, CKKS, COMPOSITES, FUNCTIONS, data, program, with_noise

STEP = 1e-5
Floats = NDArray[np.float64]


def results(found: Program, given: dict[str, NDArray[Any]]) -> Floats:
    return np.concatenate(list(simulate(found, given).values()))


def slope(at: Callable[[float], Floats]) -> Floats:
    """The derivative at 0 of every output element."""
    return (at(STEP) - at(-STEP)) / (2 * STEP)


def effects(found: Program, i: int) -> Floats:
    """Row j: what noise in slot j of operation i's result does to each output element."""
    injected, units = with_noise(found, i), np.eye(found.slots)
    return np.array([slope(lambda h, u=u: results(injected, data() | {"noise": h * u})) for u in units])


def kind(o: Operation) -> str:
    return "key_switch" if o.action.value in KEY_SWITCH else o.action.value


def noisy(found: Program) -> Iterator[tuple[int, Source]]:
    """Operations that bring noise, and as which source."""
    scales = scales_of(found)
    for i, o in enumerate(found.operations):
        if kind(o) in ("encrypt", "rescale", "key_switch"):
            yield i, Source(kind(o), o.level, scales[o.out])


def injected(found: Program) -> dict[Source, Floats]:
    """By source: the variance of each element, where every slot of every operation has noise of its own."""
    total: dict[Source, Floats] = defaultdict(lambda: np.zeros(1))
    for i, source in noisy(found):
        total[source] = total[source] + np.sum(effects(found, i) ** 2, axis=0)
    return total


def row(known: Gains, source: Source) -> Floats:
    """Of the elements in their order."""
    return known.variances[known.sources.index(source)][known.judged.columns]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_element_has_the_variance_that_injected_noise_arrives_with(name: str) -> None:
    known, wanted = gains(program(name), data()), injected(program(name))
    assert wanted
    assert {s for s in known.sources if s.kind in ("encrypt", "rescale", "key_switch")} == set(wanted)
    for source, variance in wanted.items():
        np.testing.assert_allclose(row(known, source), variance, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", ["turned products", "deviation", "variance", "two outputs"])
def test_an_offset_of_digits_is_spread_over_slots_as_its_polynomial_is(name: str) -> None:
    """The means of digits meet the errors of one key, so those of one key add up before they are squared."""
    found = program(name)
    known, weights = gains(found, data()), shape(found.slots)[:, None]
    of_keys: dict[tuple[Source, int], Floats] = defaultdict(lambda: np.zeros(1))
    for i, source in noisy(found):
        if source.kind == "key_switch":
            key = source._replace(kind="digits"), found.operations[i].steps
            of_keys[key] = of_keys[key] + effects(found, i)
    wanted: dict[Source, Floats] = defaultdict(lambda: np.zeros(1))
    for (source, _), effect in of_keys.items():
        wanted[source] = wanted[source] + np.sum(weights * effect**2, axis=0)
    for source, variance in wanted.items():
        np.testing.assert_allclose(row(known, source), variance, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", ["rotated copies", "deviation", "variance"])
def test_the_offsets_of_divisions_are_one_and_the_same_and_add_up_before_they_are_squared(name: str) -> None:
    found = program(name, slots=8)
    known, total = gains(found, data()), np.zeros(1)
    for i, source in noisy(found):
        if source.kind == "key_switch" and source.own[1] == 1:
            total = total + effects(found, i)
    wanted = np.sum(shape(8)[:, None] * total**2, axis=0)
    np.testing.assert_allclose(row(known, Source("division", 0, (0, 1))), wanted, rtol=1e-5, atol=1e-9)


def test_the_noise_of_an_input_of_a_power_is_magnified_by_the_exponent() -> None:
    found, x = program("sixteenth power", slots=8), data()["x"]
    assert found.operations[0].action is Action.ENCRYPT
    known = gains(found, data())
    (source,) = (s for s in known.sources if s.kind == "encrypt")
    np.testing.assert_allclose(row(known, source), (16 * x**15) ** 2, rtol=1e-9)


def test_copies_of_one_noise_add_up_before_they_are_squared() -> None:
    """Three rotated copies are independent slot by slot. Of a mean, a fifth is taken back; and the three
    slots of padding hold no elements, but noise, and the mean takes that in."""
    for name, wanted in (("rotated copies", 3.0), ("deviation", 4 / 5 + 3 / 25)):
        known = gains(program(name, slots=8), data())
        (source,) = (s for s in known.sources if s.kind == "encrypt")
        assert row(known, source).mean() == pytest.approx(wanted, rel=1e-6, abs=0)


def test_a_sum_of_a_librarys_own_brings_the_noise_of_every_rotation_in_it() -> None:
    """x_1 = x_0 + (x_0 turned by 1), ... : what the turn by 2^k brings is summed by all later ones."""
    found = program("inner product", COMPOSITES, slots=8)
    turns = [o for o in found.operations if o.action is Action.EVAL_SUM]
    known = gains(found, data())
    brought = sum(row(known, s) for s in known.sources if s.kind == "key_switch" and s.own[1] == 1)
    # 3 rotations: 4 copies of the first noise, 2 of the second, 1 of the third, in the mean over 8 slots
    assert len(turns) == 1
    assert brought == pytest.approx((4**2 + 2**2 + 1) / 8)


def with_plain(found: Program, index: int, change: Floats) -> Program:
    plains = list(found.plains)
    plains[index] = plains[index] + change
    return replace(found, plains=tuple(plains))


@pytest.mark.parametrize("name", ["weighted", "variance", "rotated copies"])
def test_the_gain_of_a_plain_operand_is_that_of_its_rounding_errors(name: str) -> None:
    found, scales = program(name), scales_of(program(name))
    known = gains(found, data())
    wanted: dict[Source, Floats] = defaultdict(lambda: np.zeros(1))
    for o in found.operations:
        if o.action not in (Action.ADD_PLAIN, Action.MUL_PLAIN):
            continue
        alone = replace(found, plains=(*found.plains, found.plains[o.plain or 0]))  # others may use it too
        own = replace(o, plain=len(found.plains))
        alone = replace(alone, operations=tuple(own if x is o else x for x in found.operations))
        changed = [
            slope(lambda h, a=alone, u=u: results(with_plain(a, len(a.plains) - 1, h * u), data()))
            for u in np.eye(found.slots)
        ]
        other = scales[o.args[0]] if o.action is Action.MUL_PLAIN else (0, 0)
        key = Source("encoding", o.level, scales[o.out], other)
        wanted[key] = wanted[key] + np.sum(np.square(changed), axis=0)
    assert {s for s in known.sources if s.kind == "encoding"} == set(wanted)
    for source, variance in wanted.items():
        np.testing.assert_allclose(row(known, source), variance, rtol=1e-5, atol=1e-9)


def relative_effect(found: Program, i: int) -> Floats:
    """What a relative error of operation i's result does to each output element."""
    noise, value = with_noise(found, i), run(found, data())[found.operations[i].out]
    return slope(lambda h: results(noise, data() | {"noise": h * value}))


DRIFTING = [
    "inner product", "variance", "deviation", "product", "turned products",
    "power of a sum", "sums among vectors",
]  # fmt: skip


@pytest.mark.parametrize("name", DRIFTING)
def test_relative_errors_arrive_with_their_signs(name: str) -> None:
    found = program(name)
    known = gains(found, data())
    wanted: dict[int, Floats] = defaultdict(lambda: np.zeros(1))
    for i, o in enumerate(found.operations):
        if o.action is Action.RESCALE:
            wanted[o.level] = wanted[o.level] + relative_effect(found, i)
    assert set(known.drift_levels) == set(wanted)
    for level, drift in zip(known.drift_levels, known.drifts, strict=True):
        np.testing.assert_allclose(drift[known.judged.columns], wanted[level], rtol=1e-6, atol=1e-9)


def through_operand(found: Program, i: int, at: int) -> Floats:
    """Row j: what noise in slot j of one operand of operation i, and nothing else that uses it, does."""
    o, copy = found.operations[i], max(x.out for x in found.operations) + 1
    args = tuple(copy if k == at else a for k, a in enumerate(o.args))
    drop = Operation(Action.DROP, copy, (o.args[at],), o.level)
    apart = replace(
        found,
        operations=(*found.operations[:i], drop, replace(o, args=args), *found.operations[i + 1 :]),
    )
    return effects(apart, i)


def test_an_operand_that_the_library_aligns_brings_the_noise_of_its_rescaling_times_what_it_meets() -> None:
    """x y, turned, meets x, which FLEXIBLEAUTOEXT multiplies by a number and rescales on a copy."""
    found = program("turned products", AUTOMATIC, slots=8)
    ((i, aligned),) = ((i, o) for i, o in enumerate(found.operations) if o.internal)
    assert [a for a, _ in aligned.internal] == ["mul_scalar", "rescale"]
    levels = {o.out: o.level for o in found.operations}
    at = int(np.argmax([levels[a] for a in aligned.args]))
    source = Source("rescale", aligned.level, (aligned.level, 1))
    wanted = injected(found)[source] + np.sum(through_operand(found, i, at) ** 2, axis=0)
    np.testing.assert_allclose(row(gains(found, data()), source), wanted, rtol=1e-5)


def test_the_largest_slot_and_the_noiseless_results_are_kept() -> None:
    found = program("weighted")
    kept = gains(found, data())
    slots = run(found, data())
    for i, o in enumerate(found.operations):
        assert kept.largest[i] == max(abs(v) for v in slots[o.out])
    np.testing.assert_array_equal(kept.outputs["result"], simulate(found, data())["result"])


@pytest.mark.parametrize("style", [CKKS, AUTOMATIC, COMPOSITES], ids=["manual", "automatic", "composites"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_and_largest_slots_are_those_of_a_plain_execution(name: str, style: Style) -> None:
    """Of which every value is kept slot by slot, also where all are alike."""
    found = program(name, style, slots=8)
    kept, slots = gains(found, data()), run(found, data())
    largest = [np.abs(slots[o.out]).max() for o in found.operations]
    np.testing.assert_allclose(kept.largest, largest, rtol=1e-9, atol=1e-12)
    for key, wanted in simulate(found, data()).items():
        np.testing.assert_allclose(kept.outputs[key], wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["inner product", "variance", "root of a variance", "sum of powers"])
def test_of_a_number_that_lies_in_every_slot_all_means_are_its_own_variance(name: str) -> None:
    """But for what the turns of its last sum add after the slots have been summed: of that each slot has its
    own."""
    found = program(name, slots=8)
    known = gains(found, data())
    for i, source in enumerate(known.sources):
        assert known.average[i, 0] == pytest.approx(known.variances[i, 0], rel=1e-9)
        if source.kind == "encrypt":
            assert known.whole[i, 0] == pytest.approx(known.variances[i, 0], rel=1e-9)


def test_the_mean_over_all_slots_is_that_of_every_slots_variance() -> None:
    """Slot by slot: of x^16, x_j^30 times 16^2 each, the empty slots' 0 among them."""
    found, x = program("sixteenth power", slots=8), data()["x"]
    known = gains(found, data())
    (at,) = (i for i, s in enumerate(known.sources) if s.kind == "encrypt")
    assert known.whole[at, 0] == pytest.approx(np.sum((16 * x**15) ** 2) / 8, rel=1e-9)
    assert known.average[at, 0] == pytest.approx(np.mean((16 * x**15) ** 2), rel=1e-9)


def test_programs_that_differ_in_nothing_that_noise_minds_are_one_to_it() -> None:
    found = program("weighted")
    freed = replace(found, operations=tuple(replace(o, frees=()) for o in found.operations))
    assert freed.operations != found.operations
    assert content(freed) == content(found)
    assert_same(told(gains(freed, data())), told(gains(found, data())))


def test_every_other_difference_makes_two_of_them() -> None:
    found = program("weighted")
    first = found.operations[0]
    others = [
        replace(found, slots=8),
        replace(found, automatic=True),
        replace(found, levels=found.levels + 1),
        replace(found, operations=(replace(first, level=first.level + 1), *found.operations[1:])),
        replace(found, operations=(replace(first, internal=(("rescale", 1),)), *found.operations[1:])),
        with_plain(found, 0, np.array([0.0, 0.0, 0.0, 1e-9])),
        replace(found, outputs=(replace(found.outputs[0], length=4),)),
    ]
    assert len({content(p) for p in [found, *others]}) == len(others) + 1


def told(known: Gains) -> dict[str, Any]:
    """All that was found, without the gains themselves: of those that are kept none are reckoned anew."""
    found = {f.name: getattr(known, f.name) for f in fields(known)}
    return found | {f"judged {f.name}": getattr(known.judged, f.name) for f in fields(known.judged)}


def assert_same(found: dict[str, Any], wanted: dict[str, Any], off: float = 0.0) -> None:
    """But for so much, of each number."""
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if name == "outputs":
            assert_same(found[name], value, off)
        elif isinstance(value, np.ndarray):
            np.testing.assert_allclose(found[name], value, rtol=off, atol=0, err_msg=name)
        elif name != "judged":
            assert found[name] == value, name


def test_equal_seeds_give_equal_gains() -> None:
    found = program("variance")
    assert_same(told(gains(found, data(), 7)), told(gains(found, data(), 7)))


LONG = [name for name in FUNCTIONS if name != "weighted"]  # by as many as others have


@pytest.mark.parametrize("style", [CKKS, AUTOMATIC, COMPOSITES], ids=["manual", "automatic", "composites"])
@pytest.mark.parametrize("name", LONG)
def test_inputs_looked_at_side_by_side_have_the_gains_that_each_has_alone(name: str, style: Style) -> None:
    """Of more elements than are all judged: the loudest differ from input to input. What is alike in all
    slots is multiplied in another order, which doubles may round otherwise."""
    found, draw = program(name, style, slots=128, length=300), np.random.default_rng(5)
    inputs = [{v: draw.uniform(-1, 1, 300) for v in "xy"} for _ in range(3)]
    alone = [told(gains(found, given)) for given in inputs]
    for at, wanted in zip(map(told, gains_at(found, [*inputs, inputs[0]])), [*alone, alone[0]], strict=True):
        assert_same(at, wanted, off=1e-12)
    largest = [wanted["largest"] for wanted in alone]
    np.testing.assert_allclose(largest_at(found, inputs), largest, rtol=1e-12)


def test_more_inputs_than_memory_may_hold_at_once_are_looked_at_in_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, draw = program("variance", slots=8, length=20), np.random.default_rng(6)
    inputs = [{v: draw.uniform(-1, 1, 20) for v in "xy"} for _ in range(5)]
    together, largest = list(map(told, gains_at(found, inputs))), largest_at(found, inputs)
    monkeypatch.setattr("fheasible.noise.reach.gains._SIDE_BY_SIDE", 2 * len(found.operations) * found.slots)
    for at, wanted in zip(map(told, gains_at(found, inputs)), together, strict=True):
        assert_same(at, wanted, off=1e-12)
    np.testing.assert_allclose(largest_at(found, inputs), largest, rtol=1e-12)
    assert largest_at(found, []).shape == (0, len(found.operations))


def test_what_is_kept_of_the_same_data_is_not_reckoned_anew() -> None:
    found = program("variance")
    kept, other = gains(found, data()), gains(found, data() | {"x": np.full(5, 0.5)})
    assert gains(found, data()) is kept is gains_at(found, [data()])[0]
    assert other is not kept
    assert gains(found, data(), seed=1) is not kept


@pytest.mark.parametrize("style", [CKKS, AUTOMATIC, COMPOSITES])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_seen_beside_other_inputs_is_what_each_shows_alone(name: str, style: Style) -> None:
    found, others = program(name, style), [{k: v * part for k, v in data().items()} for part in (0.5, 0.25)]
    (alone, _), (beside, of_others) = seen(found, data()), seen(found, data(), others)
    assert alone.values is not None
    assert beside.values is not None
    assert beside.largest.tolist() == alone.largest.tolist()
    assert of_others.tolist() == largest_at(found, others).tolist()
    assert {k: v.tolist() for k, v in beside.values.items()} == {
        k: v.tolist() for k, v in alone.values.items()
    }


@pytest.mark.parametrize("style", [CKKS, AUTOMATIC, COMPOSITES])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_largest_slots_are_the_same_whether_values_are_kept_or_not(name: str, style: Style) -> None:
    found = program(name, style)
    (kept, none), (frugal,) = seen(found, data()), largest_at(found, [data()])
    plainly = [np.abs(slots).max() for slots in run(found, data()).values()]
    assert kept.values is not None
    assert len(none) == 0
    assert frugal.tolist() == kept.largest.tolist()
    np.testing.assert_allclose(frugal, plainly, rtol=1e-12)
    assert gains(found, data()).largest.tolist() == kept.largest.tolist()
