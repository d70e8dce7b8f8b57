"""An operation that nobody handles is refused with its name by whatever reads programs."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from fheasible.errors import UnknownName, UnsupportedOperation
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.lattigo import resident as lattigo
from fheasible.libraries.layout import Cell
from fheasible.libraries.openfhe.copies import limbs
from fheasible.libraries.parameters import request_for
from fheasible.libraries.seal import resident as seal
from fheasible.libraries.steps import StepKind
from fheasible.libraries.table import rows
from fheasible.noise.integers.budget import budget_bits
from fheasible.noise.integers.shared import relations
from fheasible.noise.reach.reach import adjoints
from fheasible.noise.reach.rows import Common
from fheasible.program.simulate import simulate
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

UNKNOWN = cast("Action", "transcipher")
COMPOSITES = (Action.EVAL_SUM, Action.EVAL_CHEBYSHEV)
OF_INTEGERS = ("what noise shares", "budgets in SEAL", "budgets in Lattigo")
SLOTS = INSECURE_N = 64


def program_with(action: Action, scheme: Scheme) -> Program:
    """One input, and one such operation."""
    operations = (Operation(Action.ENCRYPT, 0, source="x"), Operation(action, 1, (0,), plain=0))
    plains = (np.arange(1, SLOTS + 1),)
    return Program(scheme, SLOTS, 0, operations, plains, (Packed("x", SLOTS, (0,)),), ())


def parameters(library: str, scheme: str) -> Any:
    request = request_for(
        scheme, 1, None, ring_dimension=INSECURE_N, plain_modulus=65537, prime_bits=(50, 50)
    )
    return CATALOGUE[library].parameters(request)


def budget(action: Action, library: str) -> None:
    budget_bits(program_with(action, Scheme.BFV), parameters(library, "bfv"))


def backwards(action: Action) -> None:
    ones = Common(np.ones(1), np.ones(SLOTS))
    values = {0: np.ones(SLOTS), 1: np.ones(SLOTS)}
    list(adjoints(program_with(action, Scheme.CKKS), values, 1, ones))


def of_seal(action: Action) -> None:
    seal.ContextChain("ckks", 2, 1, 2).operation(StepKind(action, str(action), 2, 2, 2, 2))


READERS: dict[str, Callable[[Action], object]] = {
    "slots": lambda action: simulate(program_with(action, Scheme.CKKS), {"x": np.ones(SLOTS)}),
    "derivatives": backwards,
    "what noise shares": lambda action: relations(program_with(action, Scheme.BGV)),
    "budgets in SEAL": lambda action: budget(action, "seal"),
    "budgets in Lattigo": lambda action: budget(action, "lattigo"),
    "SEAL's buffers": of_seal,
    "OpenFHE's copies": lambda action: limbs(action, cast("Any", None)),
}


@pytest.mark.parametrize("name", READERS)
def test_an_action_that_nobody_handles_is_refused_with_its_name(name: str) -> None:
    with pytest.raises((AssertionError, UnsupportedOperation), match="transcipher"):
        READERS[name](UNKNOWN)


@pytest.mark.parametrize("action", COMPOSITES)
@pytest.mark.parametrize("name", [name for name in READERS if name not in ("slots", "derivatives")])
def test_what_openfhe_composes_is_refused_where_no_other_has_it(name: str, action: Action) -> None:
    with pytest.raises(UnsupportedOperation, match=action.value):
        READERS[name](action)


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_a_bootstrap_of_integers_is_refused(name: str) -> None:
    with pytest.raises(UnsupportedOperation, match="bootstrap"):
        READERS[name](Action.BOOTSTRAP)


def test_what_composes_is_refused_by_lattigos_memory() -> None:
    with pytest.raises(UnsupportedOperation, match="Lattigo has no eval_sum"):
        lattigo.ChainShape("ckks", 2, 1, 0, 0.0, 0.0).operation(
            StepKind(Action.EVAL_SUM, "eval_sum", 2, 2, 2, 2)
        )


def test_no_library_is_taken_for_another() -> None:
    with pytest.raises(UnknownName, match="helib"):
        rows((Cell("helib", "ckks", "add", 2, 1, 1, 1, 200),))
