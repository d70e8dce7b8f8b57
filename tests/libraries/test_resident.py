"""What libraries keep in memory, in limbs: counted by hand, and how it grows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import ceil, log2
from types import ModuleType
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.libraries.lattigo import resident as lattigo_resident
from fheasible.libraries.lattigo.buffers import Memory, integers
from fheasible.libraries.openfhe import resident as openfhe_resident
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import resident as seal_resident
from fheasible.libraries.seal.buffers import Buffers, Phase
from fheasible.libraries.seal.resident import ContextChain
from fheasible.libraries.steps import OutputSize, StepKind, data_bytes, output_limbs, outputs, timeline
from fheasible.program.types import Action, Hoist, Operation, Program

from . import memory_oracle as oracle
from .memory_oracle import Heap, Step
from .memory_programs import parameters, product, program, sums
from .openfhe_peaks import Wheel, counted_programs, wheels
from .random_programs import programs

RESIDENT = {"openfhe": openfhe_resident, "seal": seal_resident, "lattigo": lattigo_resident}
EVERY = pytest.mark.parametrize("library", RESIDENT)
LIMBS = st.integers(2, 12)
SCHEMES = st.sampled_from(("ckks", "bgv", "bfv"))


def steps(some: Program, limbs: int) -> list[StepKind]:
    """Of each operation, in order."""
    followed = timeline(some, limbs)
    return [followed.steps[place] for place in followed.places]


def made_up(seed: int, what: object, below: int) -> int:
    """A number that looks random and is the same whenever it is asked for."""
    return crc32(f"{seed} {what}".encode()) % below


def as_step(step: StepKind) -> Step:
    return Step(step.kind, step.parts, step.limbs, step.made_parts, step.made_limbs, step.depth)


@contextmanager
def told(module: ModuleType, cached: Any, **figures: object) -> Iterator[None]:
    """Puts made-up figures in the place of a library's own; what `cached` has kept is forgotten."""
    with pytest.MonkeyPatch.context() as patch:
        for name, figure in figures.items():
            patch.setattr(module, name, figure)
        cached.cache_clear()
        yield
    cached.cache_clear()


def test_a_step_knows_what_it_takes_and_makes() -> None:
    ops = (
        Operation(Action.DROP, 2, (0,), 1),
        Operation(Action.MUL, 3, (2, 2), 1),
        Operation(Action.RELINEARIZE, 4, (3,), 1),
        Operation(Action.RESCALE, 5, (4,), 0),
    )
    found = steps(program("bgv", 3, *ops), 4)
    shapes = [(s.parts, s.limbs, s.made_parts, s.made_limbs) for s in found[2:]]
    assert shapes == [(2, 4, 2, 2), (2, 2, 3, 2), (3, 2, 2, 2), (2, 2, 2, 1)]
    assert output_limbs(program("bgv", 3, *ops), parameters("seal", "bgv", 4)) == [1]


def test_bfv_minds_how_many_products_lie_before() -> None:
    ops = (
        Operation(Action.SQUARE, 2, (0,)),
        Operation(Action.RELINEARIZE, 3, (2,)),
        Operation(Action.MUL, 4, (3, 1)),
    )
    assert [s.depth for s in steps(program("bfv", 0, *ops), 4)] == [0, 0, 0, 1, 1]
    assert {s.depth for s in steps(program("bgv", 0, *ops), 4)} == {0}


def test_what_is_alive_is_followed_with_the_digits_that_rotations_share() -> None:
    turns = [
        Operation(Action.ROTATE, 2 + i, (0,), 3, steps=1 + i, hoist=hoist)
        for i, hoist in enumerate((Hoist.FIRST, Hoist.NEXT, Hoist.LAST))
    ]
    followed = timeline(program("bgv", 3, *turns, inputs=1), 4)
    assert followed.values == (0, 8, 8, 8, 8)  # of two parts of four limbs; what nobody uses dies at once
    first = followed.places[1]
    assert followed.digits == ((), (), (first,), (first,), ())
    assert [followed.steps[p].kind for p in followed.places] == [
        "encrypt",
        "rotate_hoist",
        *["rotate_hoisted"] * 2,
    ]


def test_operands_of_two_levels_count_as_the_higher() -> None:
    """As OpenFHE's automatic techniques meet them."""
    ops = (Operation(Action.DROP, 2, (0,), 1), Operation(Action.ADD, 3, (2, 1), 1))
    found = steps(program("ckks", 3, *ops), 4)
    assert (found[-1].limbs, found[-1].made_limbs) == (4, 2)


def test_bfv_works_on_every_limb_whatever_its_level() -> None:
    found = steps(product("bfv", 0), 5)
    assert {s.limbs for s in found} == {s.made_limbs for s in found} == {5}


def test_data_are_arrays_of_words() -> None:
    assert data_bytes(product("bgv", 1)) == 8 * 2 * 8  # two inputs of 8 slots


# OpenFHE


def test_openfhes_tables_are_four_limbs_for_each_prime() -> None:
    some = product("ckks", 0)
    small, large = (
        openfhe_resident.context(some, parameters("openfhe", "ckks", 5, special)) for special in (2, 3)
    )
    assert large - small == pytest.approx(4)
    bfv = [openfhe_resident.context(some, parameters("openfhe", "bfv", 5, special)) for special in (0, 3, 5)]
    assert bfv[0] == bfv[1] == bfv[2]  # the primes of P are among those of the second base


def test_openfhes_keys_by_hand() -> None:
    hybrid, bv = parameters("openfhe", "bgv", 6, 2, 3), parameters("openfhe", "bgv", 6, 0, 6, "bv")
    some = product("bgv", 5)
    assert openfhe_resident.keys(some, hybrid, 4) == 3 * 6 + 4 * 2 * 3 * 8
    assert openfhe_resident.keys(some, bv, 4) == 3 * 6 + 4 * 2 * 6 * 6


def test_openfhes_peak_is_that_of_relinearization() -> None:
    """Six limbs, two special ones, three digits: the product of size 3 lives, beside it a copy and the rest,
    5 * 6 + (3 + 2) * 8 + 1 limbs."""
    p = parameters("openfhe", "bgv", 6, 2, 3)
    assert openfhe_resident.evaluation(product("bgv", 5), p, 1) == 18 + 30 + 40 + 1


def test_what_an_operation_of_openfhe_holds_can_be_told() -> None:
    p = parameters("openfhe", "bgv", 6, 2, 3)
    told = openfhe_resident.evaluation(product("bgv", 5), p, 1, most=lambda step: 1000.0)
    assert told == 1000 + 24  # during the product both factors are alive
    nothing = openfhe_resident.evaluation(product("bgv", 5), p, 1, most=lambda step: 0.0)
    assert nothing == 12 + 4 * 6  # decryption


# SEAL


@given(data=st.data(), scheme=SCHEMES, limbs=st.integers(2, 7), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_seals_pools_are_those_of_a_pool_followed_buffer_by_buffer(
    data: st.DataObject, scheme: str, limbs: int, seed: int
) -> None:
    """With buffers that are made up, of few sizes, so that many are used again."""
    p, some = parameters("seal", scheme, limbs), data.draw(programs(scheme, limbs - 1, hoists=False))

    def borrowed(step: Step) -> tuple[int, ...]:
        return tuple(1 + made_up(seed, (i, step), 4) for i in range(made_up(seed, step, 5)))

    def room(step: Step) -> int:
        return 1 + made_up(seed, ("room", step), 4)

    def decoding(k: int) -> tuple[int, ...]:
        return (1 + k % 4,) * (k % 3)

    class Chain(ContextChain):
        @staticmethod
        def of(p: Any) -> ContextChain:
            return Chain(*ContextChain.of(p))

        def operation(self, step: StepKind) -> Buffers:
            own = as_step(step)
            return Buffers(room(own), (Phase(borrowed(own)), Phase((room(own),))))

        def decryption(self, output: OutputSize) -> Buffers:
            return Buffers(0, (Phase(decoding(output.limbs), (output.limbs,)),))

    with told(seal_resident, seal_resident._pools, ContextChain=Chain):
        found = seal_resident.evaluation(some, p, 1)
    results = {oracle.limbs_of(some, p, v) for packed in some.outputs for v in packed.values}
    decryptor = limbs + 1 + sum(results)
    assert found == oracle.pool_of(some, p, borrowed, room, decoding) + decryptor


def test_a_pool_serves_a_size_again_and_never_from_another() -> None:
    """A value of 4 limbs is copied, and dropped by way of a copy; encryption's buffers of 1, 1, 1, 2 and 6
    limbs serve nobody else; the decryptor has a pool of its own, for the key, three polynomials and a sum
    modulo t."""
    some = program("bgv", 1, Operation(Action.DROP, 1, (0,), 0), inputs=1)
    p = parameters("seal", "bgv", 2)
    assert seal_resident.evaluation(some, p, 0) == (4 + 4 + 4) + (1 + 1 + 1 + 2 + 6) + (3 + 3 + 1)


def test_seals_tables_of_every_level_by_hand() -> None:
    """Two limbs and a special one: levels of 3, 2 and 1 limbs, each with tables for its primes, for auxiliary
    ones (one more), for t, and slots for automorphisms; two limbs for the encoder."""
    levels = sum(4 * (k + (k + 1)) + 4 + 4 for k in (1, 2, 3))
    assert seal_resident.context(product("bgv", 1), parameters("seal", "bgv", 2)) == levels + 2


def test_seals_worker_has_a_context_for_each_lower_level_that_encodes() -> None:
    p = parameters("seal", "ckks", 4)
    top = product("ckks", 3)
    lower = program("ckks", 3, Operation(Action.ADD_PLAIN, 2, (0,), 1, plain=None))
    extra = [4 * (2 * k + 1) + 4 for k in (3, 2)]  # levels of l + 2 and l + 1 limbs
    assert seal_resident.context(lower, p) - seal_resident.context(top, p) == sum(extra) + 5.5


def test_seals_buffers_of_one_addition() -> None:
    """Three values of 2 * 3 limbs; an encryption's encoded polynomial, sum over 4 limbs, message and two
    scratches; the decryptor's secret key of 4 limbs, three polynomials and a sum modulo t."""
    p = parameters("seal", "bgv", 3)
    assert seal_resident.evaluation(sums("bgv", 2, 2), p, 0) == 3 * 6 + (3 + 8 + 3 * 1) + (4 + 3 * 3 + 1)


def test_a_relinearized_value_of_seal_keeps_the_room_of_three() -> None:
    relinearize = steps(product("bfv", 0), 5)[-1]
    assert ContextChain("bfv", 5, 1, 5).operation(relinearize).result == 15


# Lattigo

# New limbs of an operation of BGV on three limbs that makes two parts of `made` limbs.
LATTIGOS = {
    ("encrypt", 3): 2 * 3 + 3 + 0.15,  # the result, a plaintext, and random bytes
    ("add_plain", 3): 2 * 3 + 3,
    ("mul_plain", 3): 2 * 3 + 3,
    ("add", 3): 2 * 3,
    ("relinearize", 3): 2 * 3,
    ("rotate", 3): 2 * 3,
    ("rescale", 2): 2 * 2,
    ("drop", 1): 2 * 2 + 2 * 1,  # a new value for each level
}


@pytest.mark.parametrize(("asked", "wanted"), LATTIGOS.items())
def test_lattigos_new_limbs_by_hand(asked: tuple[str, int], wanted: float) -> None:
    action, made = asked
    step = StepKind(Action(action), action, 2, 3, 2, made)
    assert lattigo_resident.ChainShape("bgv", 5, 2, 0, 0.0, 0.0).operation(step).made == wanted


def test_garbage_is_collected_once_the_heap_has_grown_by_a_quarter() -> None:
    found, grown = lattigo_resident.heap([10, 10, 10, 10], [5, 5, 5, 6], before=100.0, least=0.0)
    assert found == [10, 20, 30, 15]  # below a quarter of 100 twice; then 5 are left
    assert grown == 15


def test_little_garbage_is_never_worth_a_collection() -> None:
    assert lattigo_resident.heap([49], [0], before=100.0, least=50.0) == ([49], 49)
    assert lattigo_resident.heap([51], [0], before=100.0, least=50.0) == ([51], 0)


@given(
    data=st.data(),
    scheme=SCHEMES,
    limbs=st.integers(2, 7),
    special=st.integers(0, 3),
    before=st.integers(0, 300),
    least=st.integers(0, 60),
    seed=st.integers(0, 99),
)
@settings(max_examples=60)
def test_lattigos_heap_is_one_followed_object_by_object(
    data: st.DataObject, scheme: str, limbs: int, special: int, before: int, least: int, seed: int
) -> None:
    """With made-up objects, and with as much before them as makes garbage be collected often or seldom."""
    p = parameters("lattigo", scheme, limbs, special, limbs)
    some = data.draw(programs(scheme, limbs - 1))

    def allocated(step: Step) -> float:
        return made_up(seed, step, 40)

    def digits(step: Step) -> float:
        return -(-step.limbs // special) * (step.limbs + special) if special else 0

    class Shape(lattigo_resident.ChainShape):
        @staticmethod
        def of(*_: Any) -> lattigo_resident.ChainShape:
            return Shape(scheme, limbs, special, 0, before, least)

        def operation(self, step: StepKind) -> Memory:
            return Memory(allocated(as_step(step)), {"a": step.limbs, step.kind: 1})

        def decryption(self, output: OutputSize) -> Memory:
            return Memory(3 * output.limbs, {"a": 2 * output.limbs})

    results = [oracle.limbs_of(some, p, v) for packed in some.outputs for v in packed.values]
    with told(
        lattigo_resident, lattigo_resident._over_time, ChainShape=Shape, integers=lambda c: 7 * c.limbs
    ):
        found = lattigo_resident.evaluation(some, p, 1)
    heap = oracle.heap_of(some, p, Heap(before, least), allocated, digits)
    left = sum(7 * k for k in results)  # by an earlier decryption, whose spaces the next one takes again
    evaluated = left + heap.peak
    heap.allocate(sum(3 * k for k in results))
    followed = list(oracle.steps(some, p))
    kept = max(*(s.limbs for s in followed), 2 * max(results)) + len({s.kind for s in followed})
    assert found == max(evaluated, heap.grown) + kept


@given(
    data=st.data(),
    scheme=SCHEMES,
    limbs=st.integers(2, 7),
    special=st.integers(0, 3),
    log_n=st.integers(10, 15),
)
@settings(max_examples=60)
def test_lattigos_buffers_are_each_as_long_as_is_needed_at_most(
    data: st.DataObject, scheme: str, limbs: int, special: int, log_n: int
) -> None:
    p = replace(parameters("lattigo", scheme, limbs, special, limbs), ring_dimension=1 << log_n)
    some = data.draw(programs(scheme, limbs - 1))
    shape = lattigo_resident.ChainShape.of(some, p, 1)
    used = [
        *(shape.operation(step) for step in steps(some, p.limbs)),
        *(shape.decryption(output) for output in outputs(some, p.limbs)),
    ]
    assert lattigo_resident._kept(used) == buffers_of(some, p)


def buffers_of(some: Program, p: Parameters) -> int:
    """By hand: the buffers that are no longer zero after the operations (see `test_lattigo_way`)."""
    kinds: dict[str, int] = {}
    for s in steps(some, p.limbs):
        kinds[s.kind] = max(kinds.get(s.kind, 0), s.limbs)

    def longest(*among: str) -> int:
        return max((kinds.get(kind, 0) for kind in among), default=0)

    hoisted = ("rotate_hoist", "rotate_hoisted")
    every, special = ("relinearize", "rotate", "swap_rows", *hoisted), len(p.p)
    alone = every[:3] if special else every
    making = every[:4] if special else every
    scratch = (*("mul", "square", "mul_plain", "rescale"), *(("drop",) if p.scheme != "ckks" else ()))
    total = 1 + max(output_limbs(some, p)) + longest(*scratch) + longest("mul", "square")
    total += p.limbs + 1 + 2 + kinds["encrypt"] + 1 if special else p.limbs
    if longest(*every):
        total += (3 if special else 2) * (longest(*every) + special) + longest(*making)
    if longest(*alone):
        total += longest(*alone) + special + (special <= 1)
    if p.scheme == "bfv" and longest("mul", "square"):
        of_product = ceil((sum(log2(q) for q in p.q) + log2(p.ring_dimension)) / 61)
        total += (8 if "mul" in kinds else 6) * of_product + longest("mul", "square")
    return total


def test_a_first_hoisted_rotation_of_lattigo_makes_objects_of_its_digits() -> None:
    """Three limbs and two special ones: two digits over five limbs, beside a result of six limbs."""
    shape = lattigo_resident.ChainShape("bgv", 3, 2, 0, 0.0, 0.0)
    first = StepKind(Action.ROTATE, "rotate_hoist", 2, 3, 2, 3)
    assert shape.operation(first).made == 6 + 2 * 5
    assert shape.operation(first._replace(kind="rotate_hoisted")).made == 6
    assert shape._replace(special=0).operation(first).made == 6


def test_lattigos_keys_by_hand() -> None:
    """Over 4 limbs and 2 special ones: the pair, and two switching keys of 2 digits, one of a rotation with
    its table; two inputs of 8 numbers."""
    p = parameters("lattigo", "bgv", 4, 2, 2)
    assert lattigo_resident.keys(product("bgv", 3), p, 2) == 6 * 3 + 2 * 2 * 2 * 6 + 1 + 16 / p.ring_dimension


def test_decoding_leaves_big_integers_in_ckks_above_level_0_alone() -> None:
    ckks, bgv = (lattigo_resident.ChainShape(scheme, 4, 1, 0, 0.0, 0.0) for scheme in ("ckks", "bgv"))
    assert integers(ckks.case(1, 2)) == integers(bgv.case(4, 2)) == 0
    assert integers(ckks.case(4, 2)) > integers(ckks.case(3, 2)) > 0


# all of them


@given(data=st.data(), wheel=st.sampled_from(wheels()))
@settings(max_examples=60)
def test_openfhes_peak_is_that_of_values_followed_one_by_one_with_what_the_wheel_held(
    data: st.DataObject, wheel: Wheel
) -> None:
    some = data.draw(counted_programs(wheel))
    wanted = oracle.most_alive(some, wheel.p, wheel.needed, wheel.digits, decrypting(wheel.p.scheme))
    assert openfhe_resident.evaluation(some, wheel.p, 1) == wanted


def decrypting(scheme: str) -> Callable[[int], float]:
    """Four polynomials; CKKS has one limb besides, and above level 0 at least 19 for its big integers."""
    return lambda k: 4 * k if scheme != "ckks" else 5 if k == 1 else max(4 * k + 1, 19)


@EVERY
@given(data=st.data(), scheme=SCHEMES, limbs=st.integers(2, 7))
@settings(max_examples=25, deadline=None)
def test_the_most_over_time_is_what_the_evaluation_takes(
    library: str, data: st.DataObject, scheme: str, limbs: int
) -> None:
    p, some = parameters(library, scheme, limbs, digits=limbs), data.draw(programs(scheme, limbs - 1))
    followed = RESIDENT[library].over_time(some, p, 2)
    assert len(followed) == len(some.operations) + 1  # and decryption
    assert max(followed) == RESIDENT[library].evaluation(some, p, 2)


@EVERY
@given(limbs=LIMBS, special=st.integers(1, 3), scheme=st.sampled_from(("ckks", "bgv", "bfv")))
@settings(max_examples=30)
def test_more_limbs_take_more_memory(library: str, limbs: int, special: int, scheme: str) -> None:
    of: ModuleType = RESIDENT[library]
    small, large = (parameters(library, scheme, k, special, k) for k in (limbs, limbs + 1))
    level = 0 if scheme == "bfv" else limbs - 1
    before, after = product(scheme, level), product(scheme, level + (scheme != "bfv"))
    assert of.context(after, large) > of.context(before, small)
    assert of.keys(after, large, 2) > of.keys(before, small, 2)
    if library != "lattigo":  # where a larger heap may be collected in time
        assert of.evaluation(after, large, 2) > of.evaluation(before, small, 2)


@EVERY
@given(limbs=LIMBS, count=st.integers(0, 20))
def test_every_further_key_takes_memory(library: str, limbs: int, count: int) -> None:
    p, some = parameters(library, "bgv", limbs, digits=limbs), product("bgv", limbs - 1)
    one_more = RESIDENT[library].keys(some, p, count + 1) - RESIDENT[library].keys(some, p, count)
    assert one_more >= 2 * limbs * (limbs + 1)  # two polynomials over QP for each digit


@EVERY
@given(limbs=LIMBS, values=st.integers(2, 12), scheme=st.sampled_from(("ckks", "bgv", "bfv")))
@settings(max_examples=30)
def test_values_that_are_alive_at_once_take_their_bytes(
    library: str, limbs: int, values: int, scheme: str
) -> None:
    p = parameters(library, scheme, limbs, digits=limbs)
    level = 0 if scheme == "bfv" else limbs - 1
    few, many = (sums(scheme, level, count) for count in (values, values + 1))
    of = RESIDENT[library]
    assert of.evaluation(many, p, 0) >= 2 * limbs * (values + 1)
    if library != "lattigo":
        assert of.evaluation(many, p, 0) > of.evaluation(few, p, 0)
