"""Figures of many sets at once: equal to loops over operations, sets and kernels."""

from dataclasses import fields, replace
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.estimation import batch, memory
from fheasible.estimation.estimate import cpu_seconds, peak_bytes
from fheasible.estimation.features import NAMES, Caches
from fheasible.estimation.profile import Profile
from fheasible.estimation.sizes import Sizes, evaluation_key_count, sizes
from fheasible.estimation.tally import Item, items
from fheasible.estimation.threads import Serial, ThreadModel
from fheasible.libraries.block import block_of
from fheasible.libraries.layout import Layout, Task
from fheasible.libraries.parameters import Parameters, parameters_for
from fheasible.libraries.primes import descending
from fheasible.libraries.work import counts, layout_of, layouts_of
from fheasible.program.phases import PHASES
from fheasible.program.types import Program
from fheasible.rings.rns.kernels import KERNELS, scaled
from libraries.layouts import layouts
from libraries.random_programs import programs

from .profiles import ACTIONS, invented, telling
from .programs import CASES, made

LIBRARIES = st.sampled_from(("openfhe", "seal", "lattigo"))
SCHEMES = st.sampled_from(("ckks", "bgv", "bfv"))
every_case = pytest.mark.parametrize(("library", "scheme", "technique"), CASES)
BITS = 45


def by_hand(known: Profile, n: int, layout: Layout, task: Task, slots: int) -> dict[str, float]:
    """CPU seconds of one operation, kernel by kernel. Slots that are fewer than n/2 are twice as many
    coefficients, but in SEAL, and OpenFHE transforms them alone."""
    found = counts(layout, task)
    amounts = dict.fromkeys(NAMES, 0.0) | scaled({k: found.get(k, 0) for k in KERNELS}, n)
    amounts["calls"] += 1
    if layout.scheme == "ckks" and layout.library != "seal":
        amounts["messages"] = 2 * slots * found.get("messages", 0)
    if layout.scheme == "ckks" and layout.library == "openfhe":
        amounts["embeddings"] = slots / 2 * log2(slots) * found.get("embeddings", 0)
    moved = 8 * n * (found.get("reads", 0) + found.get("writes", 0))
    working = 8 * n * (found.get("operand_limbs", 0) + found.get("peak_limbs", 0))
    for name, size in (
        ("l2_missed_bytes", known.caches.l2_bytes),
        ("l3_missed_bytes", known.caches.l3_bytes),
    ):
        amounts[name] = moved * (1 - size / working) if working > size else 0.0
    own = known.coefficients.get(f"{layout.scheme}/{task.action}", known.prices)
    share = remaining(known, layout, task)
    return {name: amounts[name] * price * share for name, price in zip(NAMES, own, strict=True)}


def remaining(known: Profile, layout: Layout, task: Task) -> float:
    """What threads leave of the time of one, by turns of whole limbs, which only OpenFHE shares out."""
    if known.parallel is None or known.threads == 1 or known.library != "openfhe":
        return 1.0
    serial = known.parallel.serial.get(f"{layout.scheme}/{task.action}")
    if serial is None:
        return 1.0
    switching = task.action in (
        "relinearize",
        "rotate",
        "rotate_hoist",
        "rotate_hoisted",
        "swap_rows",
        "keygen",
    )
    loop = task.level + 1 + (layout.special if switching else 0) - (task.action == "rescale")
    alone = (serial.limbs + serial.share * loop) / (serial.limbs + loop)
    return alone + (1 - alone) * np.ceil(loop / known.threads) / loop


def asked(program: Program, layout: Layout, keys: int) -> list[tuple[str, Task]]:
    """Every operation, phase by phase."""
    found = [(item.phase, item.task(layout)) for item in items(program)]
    for o in program.operations:
        found += [("evaluate", Item("evaluate", a, level).task(layout)) for a, level in o.internal]
    levels = {o.out: o.level for o in program.operations}
    outputs = [v for packed in program.outputs for v in packed.values]
    found += [("decrypt", Item("decrypt", "decrypt", levels[v]).task(layout)) for v in outputs]
    return [*found, ("keygen", Task("keygen", layout.limbs - 1, keys))]


def profile(library: str, threads: int) -> Profile:
    serial = {
        f"{s}/{a}": Serial(0.3 * i, 0.02 * i) for s in ("ckks", "bgv") for i, a in enumerate(ACTIONS, 1)
    }
    model = ThreadModel(library, "1", "m", (threads,), serial)
    caches = Caches(3e5, 2e6)
    return telling(
        library, composition=1.3, threads=threads, parallel=model, caches=caches, created=str(threads)
    )


@given(
    data=st.data(),
    library=LIBRARIES,
    scheme=SCHEMES,
    log_n=st.integers(11, 16),
    keys=st.integers(0, 5),
    threads=st.sampled_from((1, 3)),
)
@settings(max_examples=60, deadline=None)
def test_seconds_are_sums_over_operations_and_kernels(
    data: st.DataObject, library: str, scheme: str, log_n: int, keys: int, threads: int
) -> None:
    n, known = 1 << log_n, profile(library, threads)
    program = data.draw(programs(scheme, 6, hoists=library != "seal"))
    these = data.draw(st.lists(layouts(library, scheme, 9), min_size=1, max_size=4))
    these = [replace(x, limbs=max(x.limbs, 7)) for x in these]
    found = batch.seconds(program, n, these, keys, known)
    assert found.shape == (len(these), len(PHASES))
    for row, layout in zip(found.tolist(), these, strict=True):
        wanted, parts = dict.fromkeys(PHASES, 0.0), dict[tuple[str, str, str], float]()
        for phase, task in asked(program, layout, keys):
            for name, s in by_hand(known, n, layout, task, program.slots).items():
                wanted[phase] += known.composition * s
                key = phase, task.action, name
                parts[key] = parts.get(key, 0.0) + known.composition * s
        assert row == pytest.approx(list(wanted.values()), rel=1e-12)
        taken_apart = batch.breakdown(program, n, layout, keys, known)
        assert taken_apart == pytest.approx({key: s for key, s in parts.items() if s}, rel=1e-12)


@every_case
def test_a_breakdown_adds_up_to_the_estimate(library: str, scheme: str, technique: str | None) -> None:
    program, p = made(library, scheme, technique)
    known, keys = profile(library, 2), evaluation_key_count(program, p)
    found = batch.breakdown(program, p.ring_dimension, layout_of(p), keys, known)
    wanted = cpu_seconds(program, p, known)
    for phase in PHASES:
        assert sum(s for (of, _, _), s in found.items() if of == phase) == pytest.approx(
            wanted[phase], rel=1e-12
        )
    assert min(found.values()) > 0


def test_of_no_layout_nothing_is_timed() -> None:
    program, _ = made("seal", "ckks", None)
    assert batch.seconds(program, 2048, (), 0, invented("seal")).shape == (0, len(PHASES))


# -- sets


def some_sets(library: str, scheme: str, p: Parameters) -> list[Parameters]:
    """That differ in their primes alone."""
    primes = [tuple((1 << bits) - 2 * i - 1 for i in range(p.limbs)) for bits in (BITS, BITS - 4, BITS + 9)]
    special = [tuple((1 << bits) - 2 * i - 1 for i in range(len(p.p))) for bits in (BITS, 58, 60)]
    return [replace(p, q=q, p=s) for q, s in zip(primes, special, strict=True)]


@every_case
def test_a_block_has_the_figures_of_its_sets(library: str, scheme: str, technique: str | None) -> None:
    program, p = made(library, scheme, technique, 8192)
    sets, known = some_sets(library, scheme, p), telling(library)
    block = block_of(sets)
    for together in (sets, block):
        found = batch.times(program, together, known)
        for row, one in zip(found, sets, strict=True):
            wanted = cpu_seconds(program, one, known)
            assert row.tolist() == pytest.approx([wanted[phase] for phase in PHASES], rel=1e-12)
        assert batch.peaks(program, together, known).tolist() == [peak_bytes(program, s, known) for s in sets]
        assert batch.peaks(program, together, None).tolist() == [peak_bytes(program, s, None) for s in sets]
        columns = batch.sizes(program, together)
        for f in fields(Sizes):
            assert listed(getattr(columns, f.name)) == distinct(
                [getattr(sizes(program, s), f.name) for s in sets]
            )


def listed(column: Any) -> Any:
    return None if column is None else column.tolist()


def distinct(values: list[Any]) -> Any:
    """None where all are: there is no such form."""
    return None if None in values else values


@every_case
def test_the_layouts_of_a_block_are_those_of_its_sets(
    library: str, scheme: str, technique: str | None
) -> None:
    _, p = made(library, scheme, technique, 8192)
    sets = some_sets(library, scheme, p)
    if scheme == "ckks":
        sets = [replace(s, flooding=f) for s, f in zip(sets, (0.0, 3.5, 0.0), strict=True)]
    assert layouts_of(block_of(sets)) == layouts_of(sets) == [layout_of(s) for s in sets]


def test_sets_of_several_rings_are_timed_in_their_own() -> None:
    program, p = made("lattigo", "ckks", None)
    sets = [replace(p, ring_dimension=n) for n in (4096, 2048, 4096)]
    found, known = batch.times(program, sets, telling("lattigo")), telling("lattigo")
    assert found.tolist() == [list(cpu_seconds(program, s, known).values())[:4] for s in sets]


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_the_memory_of_a_block_minds_over_how_many_primes_each_set_multiplies(scheme: str) -> None:
    program, p = made("lattigo", scheme, None, 8192)
    sets = [replace(p, q=tuple(descending(bits, 2 * 8192).first(p.limbs))) for bits in (60, 30, 45, 31)]
    wanted = [peak_bytes(program, one, None) for one in sets]
    assert len(set(wanted)) > 1
    assert batch.peaks(program, block_of(sets), None).tolist() == wanted


# -- over time


@every_case
def test_the_resident_set_over_time_ends_in_its_peak(
    library: str, scheme: str, technique: str | None
) -> None:
    program, p = made(library, scheme, technique)
    known = telling(library, memory={scheme: memory.MemoryModel(1e6, 2e5, 1.1, 1.05, 1.2)})
    for with_profile in (known, None):
        found = batch.resident_over_time(program, p, with_profile)
        assert found.operations.shape == (len(program.operations),)
        assert found.peak_bytes == peak_bytes(program, p, with_profile)
        phases = memory.resident_set(batch.model_of(with_profile, p), memory.needs(program, p))
        assert (found.baseline_bytes, found.context_bytes) == (phases.baseline_bytes, phases.context_bytes)
        assert found.keys_bytes == phases.keys_bytes
        assert int(found.operations.min()) >= found.keys_bytes > found.context_bytes


@given(data=st.data(), library=LIBRARIES, scheme=SCHEMES)
@settings(max_examples=40, deadline=None)
def test_so_does_that_of_any_program(data: st.DataObject, library: str, scheme: str) -> None:
    program, limbs = data.draw(programs(scheme, 4, hoists=library != "seal")), 5
    primes = ((1 << BITS) - 1,) * limbs
    digits = limbs if library == "lattigo" else 2
    own = {} if scheme == "ckks" else {"plain_modulus": 65537}
    p = parameters_for(library, scheme, 4096, primes, primes[:1], digits, key_switching="hybrid", **own)
    assert batch.resident_over_time(program, p, None).peak_bytes == peak_bytes(program, p, None)
