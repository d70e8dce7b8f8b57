"""Every answer about security goes by the errors that the library really draws."""

import json
from dataclasses import replace

import pytest

from fheasible import App
from fheasible.cli.main import main
from fheasible.exploration.judging import secure
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.search import explore
from fheasible.libraries.bootstrapping import Bootstrapping
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.libraries.parameters import CkksParameters
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction
from fheasible.security.asked import AskedSecurity
from fheasible.security.estimator import estimate
from fheasible.security.keys import judge_keys
from fheasible.security.tables import SIGMA
from fheasible.security.verdict import shortfall

from .apps import power, problem, whole

FULL = (1 << 14, 430.0, "uniform_ternary")  # what the Guidelines allow for 128 bits [Bossuat24, Table 5.2]


def rows(app: App, name: str, wish: Wish) -> list[Columns]:
    """Every feasible set of the whole space."""
    found: list[Columns] = []
    explore(problem(app), wish, [library(name)], {}, every=True, each=found.append)
    return [part for part in found if len(part)]


@pytest.mark.long
@pytest.mark.parametrize("app", [power, whole])
@pytest.mark.parametrize("level", [128, 192])
def test_no_feasible_set_of_openfhe_is_below_what_was_asked_by_its_own_errors(app: App, level: int) -> None:
    """Its switching keys have errors of 1; the Guidelines' limits are for 3.19, and too large for them."""
    parts = rows(app, "openfhe", Wish(security=level))
    assert parts
    assert min(part["security_bits"].min() for part in parts) >= level


def test_narrow_errors_are_allowed_less_at_every_ring_and_level() -> None:
    for n in (1 << k for k in range(11, 18)):
        for level in (128, 192, 256):
            assert secure.limit("openfhe", True, n, level) < secure.limit("seal", True, n, level)


def test_a_program_without_keys_is_held_to_the_limits_of_usual_errors() -> None:
    assert secure.limit("openfhe", False, 1 << 14, 128) == 430


def test_the_command_and_the_search_give_one_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["security", "--n", "16384", "--log-q", "430", "--sigma", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bits"] < 128
    assert told["standard_bits"] is None
    assert estimate(1 << 14, 430.0, "ternary", 1.0).bits < 128  # without the table
    posed = AskedSecurity("rlwe", *FULL, CATALOGUE["openfhe"].narrowest_error(True))
    assert secure.guideline_bits(posed) is None
    assert posed.allowed(128) == secure.limit("openfhe", True, 1 << 14, 128) < 430
    assert secure.guideline_bits(AskedSecurity("rlwe", *FULL)) == 128


def test_a_sparse_secret_is_judged_as_sparse() -> None:
    """OpenFHE's own table takes it for a ternary one; no row of the Guidelines treats it."""
    assert not shortfall(AskedSecurity("rlwe", *FULL), 128)
    said = shortfall(AskedSecurity("rlwe", 1 << 14, 430.0, "sparse_ternary"), 128)
    assert "for 128 bits, the estimate allows" in said
    assert "for 192 bits, the Security Guidelines 2024 allow at most log2 q = 297" in shortfall(
        AskedSecurity("rlwe", *FULL), 192
    )


def bootstrapped(name: str, ephemeral: int | None) -> CkksParameters:
    """A set of N = 2^16 with Q of 420 bits, whose bootstrap has Q of 1,241 bits and P of 305 bits."""
    procedure = Procedure(1 << 15, (4, 4, 4, 3), (5, 5, 5), Reduction(16, 30, 3), 8, ephemeral)
    q, p = (1 << 60, *(1 << 40,) * 9, *(1 << 57,) * 14, 1 << 23), (1 << 61,) * 5
    bootstrap = Bootstrapping(procedure, q, p, 5, weight=192)
    return CkksParameters(
        name, "ckks", 1 << 16, q[:10], p, 5, secret="sparse_ternary", levels=9, bootstrap=bootstrap
    )


def test_both_secrets_of_a_bootstrap_are_judged_by_their_own_moduli_and_errors() -> None:
    main, ephemeral = secure.keys(bootstrapped("openfhe", 32), switches_keys=True)
    assert (main.secret, main.log_q, main.sigma) == ("sparse:192", pytest.approx(1546), 1.0)
    assert (ephemeral.secret, ephemeral.log_q, ephemeral.sigma) == ("sparse:32", pytest.approx(121), SIGMA)
    found = judge_keys((main, ephemeral))
    assert found.binding == main
    assert found.bits == pytest.approx(float(estimate(1 << 16, 1546, "sparse:192", 1.0).bits), abs=0.6)


def test_without_encapsulation_or_a_bootstrap_there_is_one_secret() -> None:
    alone = bootstrapped("lattigo", None)
    [main] = secure.keys(alone, switches_keys=True)
    assert main.log_q == pytest.approx(1546)
    [levelled] = secure.keys(replace(alone, bootstrap=None), switches_keys=True)
    assert levelled.log_q == pytest.approx(725)
    assert levelled.asked() == secure.posed(replace(alone, bootstrap=None), True)
