"""How far noise reaches, against noise that is really injected into every operation."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fheasible.noise.gains import Gains, gains
from fheasible.program.simulate import run, simulate
from fheasible.program.types import Action, Program

from .programs import AUTOMATIC, CKKS, COMPOSITES, FUNCTIONS, data, program, with_noise

STEP = 1e-5
STYLES = {"manual": CKKS, "automatic": AUTOMATIC, "composites": COMPOSITES}


def results(found: Program, given: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    return np.concatenate(list(simulate(found, given).values()))


def slope(at: Callable[[float], NDArray[np.float64]]) -> NDArray[np.float64]:
    """The derivative at 0 of every output element."""
    return (at(STEP) - at(-STEP)) / (2 * STEP)


def effects(found: Program, i: int) -> NDArray[np.float64]:
    """Row j: what noise in slot j of operation i's result does to each output element."""
    injected, units = with_noise(found, i), np.eye(found.slots)
    return np.array([slope(lambda h, u=u: results(injected, data() | {"noise": h * u})) for u in units])


def averaged(found: Program) -> Gains:
    """Over many random directions, so that what is left of their choice is small."""
    many = [gains(found, data(), seed) for seed in range(120)]
    noise, plain = (np.mean([getattr(g, name) for g in many], axis=0) for name in ("noise", "plain"))
    return replace(many[0], noise=noise, plain=plain, relative=np.hstack([g.relative for g in many]))


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gain_is_the_mean_square_that_injected_noise_arrives_with(name: str, style: Any) -> None:
    found = program(name, style)
    predicted = averaged(found)
    for i, o in enumerate(found.operations):
        reached = effects(found, i)
        wanted = np.sum(reached**2) / reached.shape[1]
        assert predicted.noise[i] == pytest.approx(wanted, rel=0.25, abs=1e-9), o


@pytest.mark.parametrize("name", ["inner product", "variance"])
def test_the_gain_of_a_single_element_is_exact(name: str) -> None:
    found = program(name)
    predicted = gains(found, data())
    for i, o in enumerate(found.operations):
        wanted = np.sum(effects(found, i) ** 2)
        assert predicted.noise[i] == pytest.approx(wanted, rel=1e-6, abs=1e-12), o


@pytest.mark.parametrize("name", ["product", "sixteenth power", "series"])
def test_the_gain_of_what_mixes_no_slots_is_exact(name: str) -> None:
    found = program(name)
    predicted = gains(found, data())
    for i, o in enumerate(found.operations):
        wanted = np.sum(effects(found, i) ** 2) / 5
        assert predicted.noise[i] == pytest.approx(wanted, rel=1e-6, abs=1e-12), o


def test_the_noise_of_an_input_of_a_power_is_magnified_by_the_exponent() -> None:
    found, x = program("sixteenth power", slots=8), data()["x"]
    assert found.operations[0].action is Action.ENCRYPT
    assert gains(found, data()).noise[0] == pytest.approx(np.mean((16 * x**15) ** 2))


def test_copies_of_one_noise_add_up_before_they_are_squared() -> None:
    """Three rotated copies are independent slot by slot. Of a mean, a fifth is taken back; and the three
    slots of padding hold no elements, but noise, and the mean takes that in."""
    assert averaged(program("rotated copies", slots=8)).noise[0] == pytest.approx(3, rel=0.1)
    assert averaged(program("deviation", slots=8)).noise[0] == pytest.approx(4 / 5 + 3 / 25, rel=0.1)


def with_plain(found: Program, index: int, change: NDArray[np.float64]) -> Program:
    plains = list(found.plains)
    plains[index] = plains[index] + change
    return replace(found, plains=tuple(plains))


@pytest.mark.parametrize("name", ["weighted", "variance", "rotated copies"])
def test_the_gain_of_a_plain_operand_is_that_of_its_rounding_errors(name: str) -> None:
    found = program(name)
    predicted = averaged(found)
    uses = [o.plain for o in found.operations]
    checked = 0
    for i, o in enumerate(found.operations):
        if o.action not in (Action.ADD_PLAIN, Action.MUL_PLAIN) or uses.count(o.plain) > 1:
            continue
        assert o.plain is not None
        changed = [
            slope(lambda h, o=o, u=u: results(with_plain(found, o.plain, h * u), data()))
            for u in np.eye(found.slots)
        ]
        wanted = np.sum(np.square(changed)) / len(changed[0])
        assert predicted.plain[i] == pytest.approx(wanted, rel=0.25, abs=1e-9), o
        checked += 1
    assert checked


def relative_effect(found: Program, i: int) -> NDArray[np.float64]:
    """What a relative error of operation i's result does to each output element."""
    injected, value = with_noise(found, i), values_of(found)[found.operations[i].out]
    return slope(lambda h: results(injected, data() | {"noise": h * value}))


@pytest.mark.parametrize("name", ["inner product", "variance"])
def test_a_relative_error_arrives_with_its_sign(name: str) -> None:
    found = program(name)
    predicted = gains(found, data())
    for i in range(len(found.operations)):
        assert predicted.relative[i] == pytest.approx(relative_effect(found, i), rel=1e-6, abs=1e-9)


def test_relative_errors_of_many_elements_have_the_right_mean_square() -> None:
    found = program("deviation")
    predicted = averaged(found)
    first, last = 0, len(found.operations) - 1
    wanted = np.mean((relative_effect(found, first) + relative_effect(found, last)) ** 2)
    coherent = predicted.relative[first] + predicted.relative[last]
    assert np.mean(coherent**2) == pytest.approx(wanted, rel=0.25)


def values_of(found: Program) -> dict[int, NDArray[np.float64]]:
    return run(found, data())


def test_the_largest_slot_and_the_noiseless_results_are_kept() -> None:
    found = program("weighted")
    kept = gains(found, data())
    slots = values_of(found)
    for i, o in enumerate(found.operations):
        assert kept.largest[i] == max(abs(v) for v in slots[o.out])
    np.testing.assert_array_equal(kept.outputs["result"], simulate(found, data())["result"])


def test_equal_seeds_give_equal_gains() -> None:
    found = program("variance")
    first, again = gains(found, data(), 7), gains(found, data(), 7)
    np.testing.assert_array_equal(first.noise, again.noise)
    np.testing.assert_array_equal(first.relative, again.relative)
