"""What a count depends on: layouts of one cell count the same, by the library's way in each of them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.lattigo import operations as lattigo_way
from fheasible.libraries.lattigo.case import deciding_bits
from fheasible.libraries.layout import Cell, Layout, Task
from fheasible.libraries.openfhe import operations as openfhe_way
from fheasible.libraries.seal import operations as seal_way
from fheasible.libraries.table import LARGEST_KEYS
from fheasible.libraries.work import cell_of, counts, counts_key, layout_of

from .chains import LIBRARIES
from .layouts import asked, layouts

PERFORM = {"openfhe": openfhe_way.perform, "seal": seal_way.perform, "lattigo": lattigo_way.perform}


def performed(layout: Layout, t: Task) -> dict[str, int]:
    """By the library's way itself, with parameters of that very layout."""
    found = PERFORM[layout.library](layout.parameters(), t.action, t.level, t.polys, t.dropped, t.depth)
    return {kernel: count for kernel, count in found.items() if count}


@given(asked=asked())
@settings(max_examples=500, deadline=None)
def test_a_cell_counts_as_the_library_does_in_every_layout_of_it(asked: tuple[Layout, Task]) -> None:
    layout, task = asked
    cell = cell_of(layout, task)
    wanted = performed(layout, task)
    assert counts(layout, task) == wanted
    if task.action != "keygen" or task.polys <= LARGEST_KEYS:
        counted = CATALOGUE[cell.library].cells.counted(cell)
        assert {kernel: count for kernel, count in counted.items() if count} == wanted


@given(asked=asked())
@settings(max_examples=200, deadline=None)
def test_the_parameters_of_a_cell_are_of_that_cell(asked: tuple[Layout, Task]) -> None:
    """Nothing that a count depends on is lost, and nothing else is kept. Where primes matter, as in BFV, a
    layout has but their average."""
    layout, task = asked
    cell = cell_of(layout, task)
    if not cell.own and layout.scheme != "bfv":
        again = replace(task, action=cell.action, level=cell.level, dropped=cell.dropped)
        assert (
            cell_of(layout_of(CATALOGUE[cell.library].cells.parameters(cell)), again)._replace(own=0) == cell
        )


@pytest.mark.parametrize("action", ["relinearize", "rotate", "mul", "add", "mul_plain", "rescale"])
@given(level=st.integers(1, 7), more=st.integers(1, 8), digit=st.integers(1, 4))
@settings(max_examples=15, deadline=None)
def test_how_long_the_chain_is_matters_to_no_operation_of_openfhe_below(
    action: str, level: int, more: int, digit: int
) -> None:
    """Chains of whole digits."""
    cells = {
        cell_of(Layout("openfhe", "ckks", digit * count, digit + 1, count), Task(action, level))
        for count in (8, 8 + more)
    }
    assert len(cells) == 1


@pytest.mark.parametrize("action", ["relinearize", "rotate"])
@pytest.mark.parametrize(("special_bits", "prime_bits"), [(61, 40.0), (58, 60.0), (61, 59.5), (30, 60.0)])
@pytest.mark.parametrize("limbs", [9, 14, 16])
def test_long_primes_of_lattigo_are_reduced_on_the_way(
    action: str, special_bits: int, prime_bits: float, limbs: int
) -> None:
    """Sums of more products than fit a word, modulo Q or modulo P."""
    short = Layout("lattigo", "bfv", limbs, 1, limbs, "hybrid", 4096, 65_537, 40.0, "uniform_ternary", 30)
    long = replace(short, prime_bits=prime_bits, special_bits=special_bits)
    task = Task(action, limbs - 1)
    assert counts(long, task) == performed(long, task)
    assert counts(long, task)["reductions"] > counts(short, task)["reductions"]
    assert cell_of(long, task) != cell_of(short, task)


def test_what_matters_is_told_apart() -> None:
    at = Layout("openfhe", "bgv", 6, 2, 3)
    turn = cell_of(at, Task("rotate", 5))
    assert cell_of(replace(at, special=3), Task("rotate", 5)) != turn
    assert cell_of(replace(at, digits=2), Task("rotate", 5)) != turn
    assert cell_of(replace(at, key_switching="bv", special=0), Task("rotate", 5)) != turn
    assert cell_of(at, Task("rotate", 4)) != turn
    top, below = (cell_of(replace(at, limbs=limbs), Task("encrypt", 5)) for limbs in (6, 7))
    assert top != below  # below the top the public key is copied
    assert cell_of(replace(at, limbs=9), Task("encrypt", 5)) == below
    assert cell_of(at, Task("swap_rows", 5)) == turn
    assert cell_of(at, Task("sub", 5)) == cell_of(at, Task("add", 5))


@pytest.mark.parametrize("library", LIBRARIES)
@given(data=st.data(), scheme=st.sampled_from(("ckks", "bgv", "bfv")), keys=st.integers(3, 9))
@settings(max_examples=20, deadline=None)
def test_each_further_switching_key_is_as_much_as_the_second(
    library: str, data: st.DataObject, scheme: str, keys: int
) -> None:
    layout = data.draw(layouts(library, scheme, 8))
    made = Task("keygen", layout.limbs - 1, keys)
    assert counts(layout, made) == performed(layout, made)


@pytest.mark.parametrize("library", ["seal", "lattigo", "openfhe"])
@given(
    limbs=st.integers(1, 16),
    special=st.integers(1, 3),
    bits=st.lists(st.floats(20, 60), min_size=9, max_size=9),
)
@settings(max_examples=15, deadline=None)
def test_layouts_of_bfv_that_mind_the_same_of_their_primes_count_the_same(
    library: str, limbs: int, special: int, bits: list[float]
) -> None:
    special = 1 if library == "seal" else special
    digits = -(-limbs // special)
    each = [
        Layout(
            library, "bfv", limbs, special, digits, "hybrid", 8192, 65537, round(b, 6), "uniform_ternary", s
        )
        for b in bits
        for s in (30, 61)
    ]
    seen: dict[object, set[tuple[Cell, ...]]] = {}
    tasks = [
        Task(action, limbs - 1)
        for action in ("mul", "square", "relinearize", "rotate", "add", "encrypt", "decrypt")
    ]
    for layout in each:
        seen.setdefault(counts_key(layout), set()).add(tuple(cell_of(layout, task) for task in tasks))
    assert all(len(cells) == 1 for cells in seen.values())


@given(limbs=st.integers(1, 40), special=st.integers(1, 4), scheme=st.sampled_from(("ckks", "bgv")))
@settings(max_examples=15, deadline=None)
def test_special_primes_of_lattigo_that_decide_the_same_count_the_same(
    limbs: int, special: int, scheme: str
) -> None:
    sizes = range(20, 62)
    numbers = deciding_bits(np.exp2(np.array(sizes)) - 1, limbs, special).tolist()
    tasks = [Task("relinearize", level) for level in range(limbs)]
    seen: dict[int, set[tuple[Cell, ...]]] = {}
    for number, bits in zip(numbers, sizes, strict=True):
        layout = Layout("lattigo", scheme, limbs, special, -(-limbs // special), "hybrid", special_bits=bits)
        seen.setdefault(number, set()).add(tuple(cell_of(layout, task) for task in tasks))
    assert all(len(cells) == 1 for cells in seen.values())
    assert len(seen) == len(set.union(*seen.values()))  # and those that differ are told apart, no more
