"""Ring schemes' parameters that a user gives: what cannot be meant, and what the search says of the same."""

from dataclasses import replace
from typing import Any

import pytest

from fheasible.errors import FheasibleError, InfeasibleParameters, PromiseBroken, UsageError
from fheasible.exploration.rings import space
from fheasible.exploration.rings.chosen import chosen, parameters_from, promised
from fheasible.exploration.rings.search import explore_rings
from fheasible.exploration.rings.wish import RingWish
from fheasible.exploration.sweeps.ring_analysis import Subject
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan
from fheasible.schemes.shield import SHIELD

from .apps import power, ten_products

BITS = ten_products.trace()
GIVEN = {"n": "256", "log_q": "150", "log_w": "30"}


def test_the_plaintext_modulus_follows_from_the_application_unless_it_is_given() -> None:
    assert parameters_from(GIVEN, FV, plan(BITS, True)) == RingParameters(256, 150, 2, 30)
    assert parameters_from(GIVEN, FV, plan(power(3, t=5))).t == 5
    assert parameters_from(GIVEN | {"t": "10"}, FV, plan(power(3, t=5))).t == 10
    assert parameters_from({"n": "256", "log-q": "150", "LOG_W": "3"}, FV, plan(BITS)).log_w == 3


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"log_p": "3"}, UsageError, "no parameter 'log_p'"),
        ({"n": "many"}, UsageError, "n='many' is not a whole number"),
        ({"n": "100"}, InfeasibleParameters, "not a power of two"),
        ({"log_q": "1201"}, InfeasibleParameters, "log_q = 1201 is outside"),
        ({"log_w": "151"}, InfeasibleParameters, "log_w = 151 is outside"),
        ({"t": "3"}, PromiseBroken, "a multiple of 2"),
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, str], error: type[FheasibleError], said: str) -> None:
    with pytest.raises(error, match=said):
        parameters_from(GIVEN | changed, FV, plan(BITS))


def test_what_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match="also needs log_q, log_w"):
        parameters_from({"n": "256"}, FV, plan(BITS))


def test_a_scheme_of_bits_is_refused_where_they_do_not_suffice() -> None:
    with pytest.raises(InfeasibleParameters, match=r"SHIELD are bits.*needs t = 5"):
        parameters_from(GIVEN, SHIELD, plan(power(3, t=5)))


@pytest.mark.parametrize("as_written", [False, True])
def test_the_search_and_the_user_s_own_choice_are_judged_alike(
    as_written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "WORDS", (8, 60))
    wish = RingWish(as_written=as_written, ignore_security=True)
    found = explore_rings(BITS, wish, list(SCHEMES.values())).candidates
    assert {c.scheme for c in found} == set(SCHEMES)
    steps = plan(BITS, not as_written)
    for c in found[::10]:
        own = chosen(c.kind, c.parameters, steps)
        assert replace(own, compromise=c.compromise, pareto=c.pareto) == c
        assert promised(c, steps)


@pytest.mark.parametrize("kind", SCHEMES.values())
def test_the_promise_is_that_of_a_sweep(kind: Any) -> None:
    steps, subject = plan(BITS, True), Subject.of_application(kind, BITS, True)
    promises = []
    for log_q in range(40, 400, 40):
        p = RingParameters(512, log_q, 2, 8)
        promises.append(promised(chosen(kind, p, steps), steps))
        assert promises[-1] == bool(subject.correct(subject.proven(p)))
    assert promises == sorted(promises)
    assert len(set(promises)) == 2
