"""What a program moves to and from swap: by hand, by other counts of the same memory, and by properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.estimation.memory import needs, physical, resident_set
from fheasible.estimation.paging import Memory, Moved, _Run, moved
from fheasible.estimation.sizes import WORD, evaluation_key_count
from fheasible.libraries.catalogue import CATALOGUE, library

from .programs import CASES, made

N = 1 << 14  # INSECURE with these depths, and large enough for keys to outweigh the process
AGES = st.lists(st.integers(0, 9), max_size=60)


def used(limit: int, things: list[int], size: int = 1, writes: bool = False) -> Memory:
    memory = Memory(limit * size)
    for thing in things:
        memory.use(thing, size, writes)
    return memory


def test_a_cycle_that_does_not_fit_is_read_whole_every_time() -> None:
    assert used(3, [0, 1, 2, 3] * 5, size=10).read == 4 * 4 * 10  # the first cycle is new
    assert used(4, [0, 1, 2, 3] * 5, size=10).read == 0


def test_what_was_not_written_since_it_was_in_swap_is_not_written_again() -> None:
    memory = used(2, [0, 1, 2], writes=True)  # 0 is written to swap
    for thing in (0, 1, 2) * 3:
        memory.use(thing, 1)
    assert (memory.read, memory.written) == (9, 3)
    memory.use(0, 1, writes=True)
    memory.use(1, 1)
    memory.use(2, 1)
    assert memory.written == 4


def test_where_swap_is_full_all_that_was_read_is_written_again() -> None:
    memory = Memory(2, full=True)
    for thing in (0, 1, 2) * 4:
        memory.use(thing, 1, writes=memory.read == 0)
    assert (memory.read, memory.written) == (9, 10)
    program, p = made("seal", "ckks", None, N)
    model, baseline = physical("seal"), resident_set(physical("seal"), needs(program, p)).baseline_bytes
    plenty, little = (moved(program, p, model, baseline // 2, swap) for swap in (1 << 40, 1 << 20))
    assert little.written_bytes[2] > plenty.written_bytes[2]
    assert plenty == moved(program, p, model, baseline // 2)


def test_a_thing_that_grows_takes_the_place_of_others() -> None:
    memory = used(4, [0, 1, 2], writes=True)
    memory.use(2, 3)
    assert memory.written == 1
    memory.use(0, 1)
    assert memory.read == 1


@given(things=AGES, limit=st.integers(1, 10))
def test_more_memory_never_reads_more(things: list[int], limit: int) -> None:
    less, more = used(limit, things, writes=True), used(limit + 1, things, writes=True)
    assert more.read <= less.read
    assert more.written <= less.written
    assert less.read <= len(things)


@pytest.mark.parametrize(("name", "scheme", "technique"), CASES)
def test_the_shells_of_a_key_are_the_key(name: str, scheme: str, technique: str | None) -> None:
    program, p = made(name, scheme, technique, N)
    run = _Run(program, p, 0, Memory(1 << 40))
    of, keys = library(name).resident, evaluation_key_count(program, p)
    one = of.keys(program, p, keys) - of.keys(program, p, keys - 1)
    assert sum(size for _, size in run._shells(p.limbs)) == pytest.approx(one, abs=1)  # and a table of slots
    assert len(list(run._all_keys())) == keys


@pytest.mark.parametrize(("name", "scheme", "technique"), CASES)
def test_buffers_take_what_the_resident_set_counts(name: str, scheme: str, technique: str | None) -> None:
    program, p = made(name, scheme, technique, N)
    run = _Run(program, p, 0, Memory(1 << 40))
    run._run()
    buffers = sum(size * count for size, count in run.buffers._made.items())
    kept: dict[str, int] = {}
    for worked in (*run.working.operations, *run.working.decryptions):
        kept |= {k: max(limbs, kept.get(k, 0)) for k, limbs in worked.written.items()}
    counted = library(name).resident.evaluation(program, p, evaluation_key_count(program, p))
    assert buffers + sum(kept.values()) == pytest.approx(counted, rel=0.25)


@pytest.mark.parametrize("name", CATALOGUE)
def test_with_enough_memory_nothing_moves_and_with_little_every_key_is_read(name: str) -> None:
    program, p = made(name, "ckks", None, N)
    model = physical(name)
    found = resident_set(model, needs(program, p))
    assert moved(program, p, model, found.peak_bytes + (64 << 20)) == Moved((0,) * 4, (0,) * 4)
    baseline, limb = found.baseline_bytes, WORD * N
    little = moved(program, p, model, baseline // 2)
    top = 2 * -(-p.limbs // library(name).limbs_per_digit(p)) * (p.limbs + len(p.p)) * limb
    assert little.read_bytes[2] > top
    assert little.written_bytes[0] > 0  # keys are made, and leave
    assert moved(program, p, model, baseline // 2) is little  # kept
