"""An application counted call by call is the application counted as a whole."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.node import Circuit
from fheasible.exploration.rings.figures import figures, maximal, workload
from fheasible.rings.pieces import HEAP, HUGE, PAGED
from fheasible.rings.weights import PANTHERS
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.evaluate import count_plan
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan

from .apps import circuits, ten_products

KINDS = sorted(SCHEMES)


@settings(max_examples=40, deadline=None)
@given(
    circuits(), st.sampled_from(KINDS), st.sampled_from([4, 64]), st.integers(20, 200), st.integers(1, 70),
    st.booleans(),
)  # fmt: skip
def test_calls_add_up_to_the_whole(
    circuit: Circuit, name: str, n: int, log_q: int, log_w: int, minimise: bool
) -> None:
    steps, p = plan(circuit, minimise), RingParameters(n, log_q, 2, min(log_w, log_q))
    found = figures(SCHEMES[name], p, workload(steps))
    tally = count_plan(steps, SCHEMES[name], p)
    assert int(found.multiplications) == PANTHERS.total(tally.integers)
    assert found.words == tally.memory.max_words
    assert found.bytes == tally.memory.max_bytes
    kernels: Counter[str] = Counter()
    for phase in found.kernels.values():
        kernels.update(phase)
    placed = {name: (kernels.pop(name, 0), tally.kernels.pop(name, 0)) for name in (HEAP, PAGED, HUGE)}
    assert +kernels == {k: v for k, v in tally.kernels.items() if v}
    once, each = map(sum, zip(*placed.values(), strict=True))
    assert once == pytest.approx(each, rel=0.1)  # what is freed on average stands for what is freed each time


@pytest.mark.parametrize("name", KINDS)
def test_many_sets_at_once_are_each_set_alone(name: str) -> None:
    calls = workload(plan(ten_products.trace(), True))
    n, log_q, log_w = (np.array(x) for x in ([1024, 4096, 4096], [50, 281, 300], [5, 28, 2]))
    together = figures(SCHEMES[name], RingParameters(n, log_q, 2, log_w), calls)
    for i in range(3):
        alone = figures(SCHEMES[name], RingParameters(int(n[i]), int(log_q[i]), 2, int(log_w[i])), calls)
        assert together.multiplications[i] == alone.multiplications
        assert together.words[i] == alone.words
        assert together.bytes[i] == alone.bytes
        for phase, kernels in alone.kernels.items():
            for kernel, counted in kernels.items():
                assert np.broadcast_to(together.kernels[phase][kernel], 3)[i] == counted
        for what, size in alone.sizes.items():
            assert np.broadcast_to(together.sizes[what], 3)[i] == size


def test_the_ten_products_of_the_paper_are_counted_by_hand() -> None:
    """Eq. 3 as written: T takes one product, S one, the chain ten; six sums; three ciphertexts."""
    calls = Counter(
        {c.function: load.count for c, load in workload(plan(ten_products.trace(), False)).items()}
    )
    assert calls == {"keygen": 1, "message": 3, "encrypt": 3, "multiply": 12, "add": 6, "decrypt": 1}


def test_long_vectors_cost_calls_and_no_time() -> None:
    def squares(x: fh.Vector) -> fh.Vector:
        return x * x

    made = fh.app(x=fh.integers(2000, modulo=2))(squares)
    calls = {c.function: load for c, load in workload(plan(made.trace())).items()}
    assert calls["multiply"].count == 2000
    assert calls["multiply"].alive == ((3999, 0),)  # the last product: all operands, and 1,999 products


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_of_what_is_alive_at_once_nothing_is_kept_that_another_exceeds(found: set[tuple[int, int]]) -> None:
    kept = maximal(found)
    assert all(any(c <= x and p <= y for x, y in kept) for c, p in found)
    assert not any(a != b and a[0] <= b[0] and a[1] <= b[1] for a in kept for b in kept)
