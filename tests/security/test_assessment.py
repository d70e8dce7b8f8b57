"""Many sets assessed at once: in their order, with every attack, and refused where formulas end."""

import numpy as np
import pytest

from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.security.assessment import LARGEST, AssessedSets, Attackers, assess
from fheasible.security.attacks.ntru import estimate_key
from fheasible.security.estimator import estimate

CLASSICAL = Attackers.of("rlwe")


def test_sets_of_several_secrets_keep_their_order() -> None:
    secrets = ("gaussian", "ternary", "binary", "ternary", "gaussian")
    n, log_q = np.array([1024.0, 2048, 700, 4096, 8192]), np.array([27.0, 50, 32, 100, 200])
    sigma = np.array([3.19, 3.2, 4000.0, 3.19, 5.0])
    found = assess(AssessedSets(n, log_q, sigma, secrets), CLASSICAL)
    for i, secret in enumerate(secrets):
        alone = estimate(n[i], log_q[i], secret, sigma[i])
        row = found.row(i)
        assert row["bits"] == pytest.approx(float(alone.bits))
        assert (row["n"], row["log_q"], row["secret"], row["sigma"]) == (n[i], log_q[i], secret, sigma[i])
        assert (row["attack"], row["block_size"]) == (str(alone.attack), int(alone.block_size))
        attacks = found.document(i)["attacks"]
        assert attacks[row["attack"]]["bits"] == pytest.approx(row["bits"])
        assert row["bits"] == min(a["bits"] for a in attacks.values() if a["bits"] is not None)


def test_a_product_has_every_modulus_in_every_ring() -> None:
    found = AssessedSets.product([1024, 2048], [10, 20, 30], "ternary")
    pairs = list(zip(found.n.tolist(), found.log_q.tolist(), strict=True))
    assert pairs == [(n, q) for n in (1024, 2048) for q in (10, 20, 30)]


def test_ntru_is_judged_by_the_attacks_on_its_keys() -> None:
    found = assess(AssessedSets.product([4096], [109], "ternary"), Attackers.of("NTRU"))
    document = found.document(0)
    assert document["bits"] == pytest.approx(float(estimate_key(4096, 109).bits))
    assert document["overstretched"]
    assert document["standard_bits"] is None
    assert set(document["library_bits"].values()) == {None}
    assert f"about {int(document['bits'])} bits" in document["warnings"][0]


def test_quantum_attackers_have_a_model_of_their_own() -> None:
    classical, quantum = (
        assess(AssessedSets.product([8192], [150], "ternary"), Attackers.of("rlwe", quantum=q)).row(0)
        for q in (False, True)
    )
    assert (classical["model"], quantum["model"]) == ("matzov", "chaloy21")
    assert quantum["bits"] < classical["bits"]
    assert (classical["standard_bits"], quantum["standard_bits"]) == (128, 128)
    assert Attackers.of("rlwe", "LaaMosPol14").quantum


def test_an_unfit_choice_is_refused_with_what_is_possible() -> None:
    with pytest.raises(UsageError, match="matzov is a model of classical attackers"):
        Attackers.of("rlwe", "matzov", quantum=True)
    with pytest.raises(UnknownName, match="'sis'"):
        Attackers.of("sis")
    with pytest.raises(UnknownName, match="'nobody22'"):
        Attackers.of("rlwe", "nobody22")


@pytest.mark.parametrize(
    ("n", "log_q"), [(2 * LARGEST, 20), (1024, 2 * LARGEST), (1024, 0.5), (0, 20), (1024, -1), (1024, np.nan)]
)
def test_what_no_formula_is_made_for_is_refused(n: float, log_q: float) -> None:
    for problem in ("rlwe", "ntru"):
        with pytest.raises(InfeasibleParameters) as refused:
            assess(AssessedSets.alike([n], [log_q], "ternary"), Attackers.of(problem))
        assert refused.value.remedy


def test_narrow_errors_are_warned_of_even_where_a_figure_is_at_hand() -> None:
    document = assess(AssessedSets.product([1024], [27], "ternary", 0.3), CLASSICAL).document(0)
    assert "algebraic attacks" in document["warnings"][0]
