"""Estimates of whole programs, against loops over their operations."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from fheasible.estimation import memory
from fheasible.estimation.estimate import cpu_seconds, estimate, peak_bytes, work
from fheasible.estimation.features import Caches, Shape, features
from fheasible.estimation.memory import MemoryModel, needs, physical
from fheasible.estimation.profile import Profile
from fheasible.estimation.tally import tally
from fheasible.libraries.layout import Task
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from libraries.chains import chain

from .profiles import invented, telling
from .programs import CASES, made

every_case = pytest.mark.parametrize(("library", "scheme", "technique"), CASES)
automatic_case = pytest.mark.parametrize(
    ("library", "scheme", "technique"), [c for c in CASES if c[2] and c[2] != "fixedmanual"]
)
JUDGED: dict[str, Any] = {
    "precision_bits": 12.5,
    "security_bits": 131.0,
    "standard_bits": 128,
    "library_bits": None,
}
PHASES = ("keygen", "encrypt", "evaluate", "decrypt")


class Walk:
    """A program followed value by value: the phase and task of everything that is done, keys apart."""

    def __init__(self, program: Program, p: Parameters) -> None:
        self.p, self.bfv = p, p.scheme == "bfv"
        self.levels: dict[int, int] = {}
        self.sizes: dict[int, int] = {}
        self.depths: dict[int, int] = {}
        self.found: list[tuple[str, Task]] = []
        for o in program.operations:
            self.follow(o)
        for packed in program.outputs:
            for v in packed.values:
                self.note("decrypt", "decrypt", self.levels[v])

    def follow(self, o: Operation) -> None:
        before = max((self.depths[a] for a in o.args), default=0)
        product = o.action in ("mul", "square")
        self.depths[o.out] = before + product
        size = max((self.sizes[a] for a in o.args), default=2)
        self.sizes[o.out] = 3 if product else 2 if o.action == "relinearize" else size
        self.levels[o.out] = o.level
        dropped = self.levels[o.args[0]] - o.level if o.action == "drop" else 0
        at = o.level + 1 if o.action == "rescale" else o.level
        phase = "encrypt" if o.action == "encrypt" else "evaluate"
        self.note(phase, o.kind, at, self.sizes[o.out], dropped, before)
        for action, level in o.internal:
            self.note("evaluate", action, level)

    def note(
        self, phase: str, action: str, level: int, polys: int = 2, dropped: int = 0, depth: int = 0
    ) -> None:
        """BFV works on the whole chain; only OpenFHE's multiplies by how deep it is."""
        if self.bfv:
            level = self.p.limbs - 1
        if not (self.bfv and self.p.library == "openfhe"):
            depth = 0
        self.found.append((phase, Task(action, level, polys, dropped, depth)))


def steps(program: Program, p: Parameters) -> list[tuple[str, Task]]:
    return Walk(program, p).found


def keys_of(program: Program) -> int:
    turns = {o.steps for o in program.operations if o.action == "rotate"}
    actions = {o.action for o in program.operations}
    return len(turns) + ("relinearize" in actions) + ("swap_rows" in actions)


def seconds(known: Profile, p: Parameters, task: Task) -> float:
    """By hand: features by coefficients."""
    found = known.coefficients[f"{p.scheme}/{task.action}"]
    asked = features(Shape(p.ring_dimension, layout_of(p), task), known.caches)
    return sum(c * f for c, f in zip(found, asked, strict=True))


def summed(program: Program, p: Parameters, known: Profile) -> dict[str, float]:
    """CPU seconds by phase, operation by operation."""
    times = dict.fromkeys(PHASES, 0.0)
    for phase, task in steps(program, p):
        times[phase] += seconds(known, p, task)
    times["keygen"] = seconds(known, p, Task("keygen", p.limbs - 1, keys_of(program)))
    return times | {"total": times["encrypt"] + times["evaluate"] + times["decrypt"]}


@every_case
def test_the_time_of_a_program_is_that_of_its_operations(
    library: str, scheme: str, technique: str | None
) -> None:
    program, p = made(library, scheme, technique)
    known = telling(library)
    found = cpu_seconds(program, p, known)
    assert found == pytest.approx(summed(program, p, known))
    assert min(found.values()) > 0


@every_case
def test_a_whole_run_takes_more_than_its_operations_by_the_composition(
    library: str, scheme: str, technique: str | None
) -> None:
    program, p = made(library, scheme, technique)
    alone = cpu_seconds(program, p, telling(library))
    together = cpu_seconds(program, p, telling(library, composition=1.25))
    assert together == pytest.approx({phase: 1.25 * s for phase, s in alone.items()})


@automatic_case
def test_what_a_library_does_unasked_costs_too(library: str, scheme: str, technique: str) -> None:
    program, p = made(library, scheme, technique)
    known = telling(library)
    unasked = [i for o in program.operations for i in o.internal]
    assert unasked
    silent = replace(program, operations=tuple(replace(o, internal=()) for o in program.operations))
    with_them, without = cpu_seconds(program, p, known), cpu_seconds(silent, p, known)
    more = sum(seconds(known, p, Task(action, level)) for action, level in unasked)
    assert with_them["evaluate"] - without["evaluate"] == pytest.approx(more)
    assert with_them["encrypt"] == without["encrypt"]


def test_a_composite_costs_what_is_inside_of_it() -> None:
    p, known = chain("openfhe", "ckks", 3), telling("openfhe")
    inside = (("rotate", 2), ("add", 2), ("rotate", 1))
    operations = (
        Operation(Action.ENCRYPT, 0, level=2, source="x"),
        Operation(Action.EVAL_SUM, 1, (0,), level=2, internal=inside),
    )
    program = Program(
        Scheme.CKKS, 4, 2, operations, (), (Packed("x", 4, (0,)),), (Packed("y", 4, (1,)),), automatic=True
    )
    expected = sum(seconds(known, p, Task(action, level)) for action, level in inside)
    assert cpu_seconds(program, p, known)["evaluate"] == pytest.approx(expected)


@every_case
def test_a_tally_counts_every_step_once(library: str, scheme: str, technique: str | None) -> None:
    program, p = made(library, scheme, technique)
    counted: Counter[tuple[str, Task]] = Counter()
    for item, number in tally(program).items():
        counted[item.phase, item.task(layout_of(p))] += number
    found = steps(program, p)
    assert counted.total() == len(found)
    assert counted == Counter(found)
    layout = layout_of(p)
    unweighted = (sum(features(Shape(p.ring_dimension, layout, task), Caches())) for _, task in found)
    assert work(program, p) == pytest.approx(sum(unweighted))


@pytest.mark.parametrize("action", ["encrypt", "relinearize", "decrypt", "keygen"])
def test_an_operation_that_was_never_measured_costs_by_the_shared_prices(action: str) -> None:
    program, p = made("seal", "ckks", None)
    known = telling("seal")
    phase = action if action in PHASES else "evaluate"
    own = {k: c for k, c in known.coefficients.items() if k != f"ckks/{action}"}
    found = cpu_seconds(program, p, replace(known, coefficients=own))
    shared = replace(known, coefficients=dict(known.coefficients) | {f"ckks/{action}": known.prices})
    assert found == pytest.approx(summed(program, p, shared))
    assert found[phase] != pytest.approx(cpu_seconds(program, p, known)[phase])


# -- estimates


def test_wall_time_is_cpu_time_by_the_factor_seen_while_calibrating() -> None:
    program, p = made("lattigo", "bgv", None)
    e = estimate(program, p, telling("lattigo", wall_factor=1.25, error_band=0.07), **JUDGED)
    assert e.cpu_seconds is not None
    assert e.wall_seconds == pytest.approx({k: 1.25 * v for k, v in e.cpu_seconds.items()})
    assert (e.timed, e.calibrated, e.error_band) == (True, True, 0.07)


def test_times_of_a_shipped_profile_are_there_but_none_of_this_machine() -> None:
    program, p = made("seal", "bfv", None)
    e = estimate(program, p, telling("seal", origin="Some CPU @ 3 GHz", error_band=0.5), **JUDGED)
    assert (e.timed, e.calibrated) == (True, False)
    shown = e.to_json()
    assert shown["cpu_seconds"]["total"] > 0
    assert (shown["calibrated"], shown["profile_of"]) == (False, "Some CPU @ 3 GHz")
    assert shown["error_band"] == 0.5


# Section 5 of the design: fields may be added, not renamed
TIMES = {*PHASES, "total"}
FIELDS = {
    "cpu_seconds", "wall_seconds", "peak_bytes", "ciphertext_bytes", "public_key_bytes",
    "evaluation_key_bytes", "secret_key_bytes", "precision_bits", "security_bits", "standard_bits",
    "library_bits", "calibrated", "error_band",
}  # fmt: skip


@every_case
@pytest.mark.parametrize("profiled", [True, False])
def test_an_estimate_has_all_that_others_build_on(
    library: str, scheme: str, technique: str | None, profiled: bool
) -> None:
    program, p = made(library, scheme, technique)
    shown = estimate(program, p, invented(library) if profiled else None, **JUDGED).to_json()
    assert set(shown) >= FIELDS
    assert set(shown["cpu_seconds"]) == set(shown["wall_seconds"]) == TIMES
    assert {k: shown[k] for k in JUDGED} == JUDGED
    for name in FIELDS:
        if name.endswith("_bytes"):
            assert isinstance(shown[name], int)
            assert shown[name] > 0
    assert shown["calibrated"] is profiled
    assert shown["profile_of"] is None


def test_without_a_profile_times_are_null_and_everything_else_is_there() -> None:
    program, p = made("openfhe", "bfv", None)
    e = estimate(program, p, None, **JUDGED)
    assert (e.timed, e.calibrated, e.error_band) == (False, False, None)
    shown = e.to_json()
    assert shown["cpu_seconds"] == shown["wall_seconds"] == dict.fromkeys(TIMES)
    assert shown["peak_bytes"] > physical("openfhe").baseline_bytes


# -- memory


def test_peak_memory_is_by_the_scheme_s_own_model_where_there_is_one() -> None:
    program, p = made("seal", "ckks", None)
    bare = MemoryModel(baseline_bytes=1e6, fixed_bytes=2e5, context=0.0, keys=0.0, working=0.0)
    known = telling("seal", memory={"ckks": bare, "bgv": MemoryModel(9e9)})
    plain = sum(8 * len(v) for v in program.plains)
    assert peak_bytes(program, p, known) == 1_200_000 + needs(program, p).data
    assert needs(program, p).data > plain
    full = telling("seal", memory={"ckks": replace(bare, context=1.0, keys=1.0, working=1.0)})
    n = needs(program, p)
    assert peak_bytes(program, p, full) == 1_200_000 + n.data + n.context + n.keys + n.working


@every_case
def test_peak_memory_is_counted_alone_where_nothing_was_fitted(
    library: str, scheme: str, technique: str | None
) -> None:
    program, p = made(library, scheme, technique)
    other = telling(library, memory={"another scheme": MemoryModel(9e9)})
    counted = memory.peak_bytes(physical(library), needs(program, p))
    assert peak_bytes(program, p, None) == peak_bytes(program, p, other) == counted
    assert counted > physical(library).baseline_bytes + needs(program, p).keys
