"""What several threads make of a program: the same results in less time, in an order that it allows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.libraries.lattigo import resident
from fheasible.program.concurrent import makespan, phases, successors, together
from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Hoist, Operation, Packed, Program, Scheme
from libraries.chains import chain
from libraries.random_programs import programs

SCHEMES = st.sampled_from(("ckks", "bgv", "bfv"))
THREADS = st.integers(2, 5)


def chains(number: int, length: int) -> Program:
    """So many chains of negations, one after the other; nothing connects them."""
    operations = [Operation(Action.ENCRYPT, i, source="x", chunk=i) for i in range(number)]
    ends = []
    for value in range(number):
        for _ in range(length):
            operations.append(Operation(Action.NEG, len(operations), (value,)))
            value = operations[-1].out
        ends.append(value)
    packed = Packed("x", 4 * number, tuple(range(number))), Packed("y", 4 * number, tuple(ends))
    return Program(Scheme.CKKS, 4, 0, with_frees(operations, ends), (), packed[:1], packed[1:])


def evaluation(program: Program, seconds: list[float], threads: int, slowed: float = 0.0) -> float:
    begin, end = phases(program)[-1]
    return makespan(program, begin, end, seconds, [slowed] * len(seconds), threads)


@pytest.mark.parametrize(
    ("number", "threads", "turns"), [(4, 1, 4), (4, 2, 2), (3, 2, 2), (4, 8, 1), (1, 8, 1)]
)
def test_chains_that_need_nothing_of_each_other_are_shared_out(number: int, threads: int, turns: int) -> None:
    program = chains(number, 5)
    assert evaluation(program, [2.0] * len(program.operations), threads) == pytest.approx(turns * 5 * 2.0)


def test_threads_slow_each_other_down_while_they_are_busy() -> None:
    """Two chains beside each other take a tenth longer; the third is alone."""
    program = chains(3, 1)
    assert evaluation(program, [1.0] * 6, 2, slowed=0.1) == pytest.approx(1.1 + 1.0)


@given(data=st.data(), scheme=SCHEMES, threads=THREADS)
@settings(max_examples=60, deadline=None)
def test_a_phase_takes_no_less_than_its_longest_chain_and_its_share(
    data: st.DataObject, scheme: str, threads: int
) -> None:
    program = data.draw(programs(scheme, 8, hoists=True))
    count = len(program.operations)
    seconds = data.draw(st.lists(st.floats(0.1, 9), min_size=count, max_size=count))
    begin, end = phases(program)[-1]
    found, alone = evaluation(program, seconds, threads), sum(seconds[begin:end])
    longest = [0.0] * count
    for place in reversed(range(begin, end)):
        after = [longest[x] for x in successors(program)[place] if x < end]
        longest[place] = seconds[place] + max(after, default=0.0)
    assert max(max(longest[begin:end]), alone / threads) <= found * (1 + 1e-9)
    assert found <= alone * (1 + 1e-9)
    assert evaluation(program, seconds, 1) == pytest.approx(alone)
    assert evaluation(program, seconds, count) == pytest.approx(max(longest[begin:end]))


def meanings(program: Program, known: dict[object, int]) -> list[int]:
    """A number for each output: equal for equal expressions. A value that was freed too early is an error."""
    values: dict[int, int] = {}
    for o in program.operations:
        expression = o.action, tuple(values[a] for a in o.args), o.level, o.plain, o.steps, o.source, o.chunk
        values[o.out] = known.setdefault(expression, len(known))
        for freed in o.frees:
            del values[freed]
    return [values[value] for packed in program.outputs for value in packed.values]


@given(data=st.data(), scheme=SCHEMES, threads=THREADS)
@settings(max_examples=60, deadline=None)
def test_another_order_gives_the_same_and_frees_nothing_too_early(
    data: st.DataObject, scheme: str, threads: int
) -> None:
    program = data.draw(programs(scheme, 8, hoists=True, bootstraps=True))
    other = together(program, threads)
    known: dict[object, int] = {}
    assert meanings(other, known) == meanings(program, known)
    freed = [value for o in other.operations for value in o.frees]
    assert sorted(freed) == sorted(set(freed)), "each once"
    kept = {value for packed in program.outputs for value in packed.values}
    assert set(freed) == {o.out for o in program.operations} - kept


def test_the_last_rotation_that_shares_digits_is_the_last_in_the_new_order() -> None:
    marks = (Hoist.FIRST, Hoist.NEXT, Hoist.LAST)
    operations = [Operation(Action.ENCRYPT, 0, source="x")]
    operations += [Operation(Action.ROTATE, i, (0,), steps=i, hoist=m) for i, m in enumerate(marks, 1)]
    operations += [Operation(Action.ADD, 4, (1, 2)), Operation(Action.ADD, 5, (3, 4))]
    program = Program(Scheme.CKKS, 4, 0, with_frees(operations, [5]), (), (Packed("x", 4, (0,)),),
                      (Packed("y", 4, (5,)),))  # fmt: skip
    found = [o for o in together(program, 2).operations if o.hoist is not Hoist.NONE]
    assert [o.hoist for o in found] == list(marks)


def test_more_values_are_alive_when_chains_run_beside_each_other() -> None:
    """Four goroutines hold four chains' values, and have four evaluators' buffers."""
    p = chain("lattigo", "ckks", 4)
    program = chains(4, 3)
    one, four = (resident.evaluation(program, p, 0, threads) for threads in (1, 4))
    assert four > one
    assert max(resident.over_time(program, p, 0, 4)) == four
