"""The summary of a program's norms says the same as the program itself."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.noise.tfhe.program import Norms, ProgramNorms, failures, norms_of
from fheasible.noise.tfhe.summary import NormSummary
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, TfheParameters

INSECURE_TOY = TfheParameters(
    lwe_dimension=700,
    glwe_dimension=1,
    polynomial_size=1024,
    lwe_errors=Gaussian(2.0**-16),
    glwe_errors=Gaussian(2.0**-25),
    pbs=Gadget(7, 3),
    ks=Gadget(3, 5),
    message_modulus=4,
    carry_modulus=2,
)
PROGRAM = LookupProgram(
    modulus=8,
    steps=(
        LookupStep(Step.ENCRYPT, 0, 6, source="x"),
        LookupStep(Step.LOOKUP, 1, 6, args=(0,)),
        LookupStep(Step.LINEAR, 2, 6, args=(0, 1), weights=(1, 2)),
        LookupStep(Step.LOOKUP, 3, 6, args=(2,)),
        LookupStep(Step.FOLD, 4, 2, args=(3,), group=4),
    ),
    tables=(tuple(range(8)),),
    inputs=(Digits("x", 6, (0,), 4),),
    outputs=(Digits("z", 2, (4,), 4),),
)


def test_a_summary_gives_the_failures_of_the_whole_program() -> None:
    found = failures(PROGRAM, INSECURE_TOY)
    summary = NormSummary.of(norms_of(PROGRAM))
    assert summary.failures(INSECURE_TOY) == pytest.approx((found.program, found.worst))
    assert found.program > found.worst > -1000  # neither is trivial
    assert summary.largest == np.sqrt(5)  # x + 2 y


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5), max_size=4)
)
def test_every_different_element_is_there_once_with_its_count(values: list[list[tuple[int, int]]]) -> None:
    norms = {i: Norms(*np.array(rows, dtype=np.float64).T) for i, rows in enumerate(values)}
    found = NormSummary.of(ProgramNorms(norms, {}))
    expected = Counter(row for rows in values for row in rows)
    assert found.tables == tuple((a, b, n) for (a, b), n in sorted(expected.items()))
