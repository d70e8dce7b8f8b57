"""What is a problem, and what is refused."""

import numpy as np
import pytest

from fheasible.errors import InfeasibleParameters, UnknownName
from fheasible.security.attacks.lwe import Secret, problem, secret_named


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("ternary", Secret("ternary")),
        ("UNIFORM_TERNARY", Secret("ternary")),
        ("gaussian", Secret("gaussian")),
        ("binary", Secret("binary")),
        ("sparse:64", Secret("sparse", 64)),
        ("sparse_ternary", Secret("sparse", 192)),  # OpenFHE's weight
    ],
)
def test_secrets_have_the_names_of_tables_and_libraries(name: str, secret: Secret) -> None:
    assert secret_named(name) == secret


@pytest.mark.parametrize("name", ["tern", "sparse", "ternary:4"])
def test_any_other_secret_is_refused_with_the_choices(name: str) -> None:
    with pytest.raises(UnknownName, match="no estimate") as refused:
        secret_named(name)
    assert "gaussian" in refused.value.remedy


@pytest.mark.parametrize("weight", ["", "0", "-3", "1.5", "many", "9" * 5000])
def test_a_weight_that_is_no_positive_integer_is_refused(weight: str) -> None:
    with pytest.raises(InfeasibleParameters, match="cannot have the weight") as refused:
        secret_named(f"sparse:{weight}")
    assert "from 1 to n" in refused.value.remedy


@pytest.mark.parametrize(
    ("n", "log_q", "sigma", "secret", "said"),
    [
        (0, 27, 3.19, "ternary", "n = 0"),
        (1024.5, 27, 3.19, "ternary", "n = 1024.5"),
        ([1024, -1], 27, 3.19, "ternary", "n = -1"),
        (np.nan, 27, 3.19, "ternary", "n = nan"),
        (1024, 0, 3.19, "ternary", "log2 q = 0"),
        (1024, np.inf, 3.19, "ternary", "log2 q = inf"),
        (1024, 27, -1, "ternary", "sigma = -1"),
        ([256, 128], 27, 3.19, "sparse:192", "n = 128 coefficients cannot have weight 192"),
    ],
)
def test_what_is_no_problem_is_refused(n: object, log_q: float, sigma: float, secret: str, said: str) -> None:
    with pytest.raises(InfeasibleParameters, match=said.replace(".", r"\.")) as refused:
        problem(n, log_q, secret, sigma)  # type: ignore[arg-type]
    assert refused.value.remedy.startswith("give ")


def test_secrets_have_the_width_of_their_distribution() -> None:
    widths = {"ternary": (2 / 3) ** 0.5, "binary": 0.5, "gaussian": 3.19, "sparse:64": (64 / 1024) ** 0.5}
    for name, width in widths.items():
        assert problem(1024, 27, name)[0].secret_sigma[0] == pytest.approx(width)


def test_a_secret_wider_than_the_error_is_exchanged_with_it() -> None:
    assert problem(1024, 27, "ternary", 0.5)[0].secret_sigma[0] == 0.5
    assert problem(1024, 27, "ternary", 0.5)[0].log_scale[0] == 0


def test_parameters_broadcast_and_keep_their_shape() -> None:
    sets, shape = problem([[1024], [2048]], [27, 54, 109], sigma=3.2)
    assert shape == (2, 3)
    assert sets.n.tolist() == [1024] * 3 + [2048] * 3
    assert len(sets.part(slice(1, 3))) == 2
