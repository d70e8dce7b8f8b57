"""What a set takes of its user, reckoned by hand."""

from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from fheasible.exploration.judging.candidate import requests_at_once, uses, values_of
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.program.types import Program

from .apps import problem

BASE = {
    "work": np.nan,
    "cpu_seconds": 7.2,
    "wall_seconds": 4.5,
    "keygen_seconds": 36.0,
    "peak_bytes": 2**30,
    "upload_bytes": 3 * 2**20,
    "download_bytes": 2**20,
    "key_bytes": 60 * 2**20,
}


def test_keys_count_once_for_all_requests_that_are_served_under_them() -> None:
    alone, shared = uses(BASE, Wish(), 1), uses(BASE, Wish(requests=10), 1)
    assert alone["request_bytes"] == shared["request_bytes"] == 4 * 2**20
    assert alone["setup_bytes"] == shared["setup_bytes"] == 60 * 2**20
    assert (alone["communication"], shared["communication"]) == (64 * 2**20, 10 * 2**20)


def test_what_a_request_costs_has_its_share_of_the_keys() -> None:
    wish = Wish(objective="cost", requests=10, price_core_hour=0.5, price_gib=0.2)
    hours = (7.2 + 36.0 / 10) / 3600
    gib = (4 + 60 / 10) / 1024
    assert uses(BASE, wish, 1)["cost"] == pytest.approx(0.5 * hours + 0.2 * gib)
    assert uses(BASE, wish, 1)["score"] == uses(BASE, wish, 1)["cost"]
    sent = Wish(objective="cost", price_gib=0.2)
    assert uses(BASE, sent, 1)["cost"] == pytest.approx(0.2 * 64 / 1024)


def test_where_no_time_is_known_a_core_costs_more_than_anything_and_work_ranks_as_time() -> None:
    times = dict.fromkeys(("cpu_seconds", "wall_seconds", "keygen_seconds"), np.nan)
    unknown = BASE | times | {"work": 5e9}
    found = uses(unknown, Wish(objective="cost", price_core_hour=1.0), 4)
    assert found["cost"] == np.inf
    assert (found["time"], found["wall"], found["amortised"]) == (5e9, 5e9, 1.25e9)
    assert np.isnan(found["seconds_per_value"])


def test_who_waits_for_the_answer_is_told_of_wall_time() -> None:
    found = uses(BASE, Wish(objective="wall"), 1)
    assert found["score"] == found["wall"] == 4.5
    swapping = uses(BASE | {"swap_seconds": 2.0}, Wish(objective="wall", swap=2**30), 1)
    assert (swapping["score"], swapping["time"]) == (6.5, 9.2)


def test_time_is_shared_by_the_requests_that_a_run_can_hold() -> None:
    found = uses(BASE, Wish(objective="amortised"), 8)
    assert found["score"] == found["amortised"] == pytest.approx(0.9)
    each = uses(BASE, Wish(objective="amortised"), 8, values_of(program(apart, "bfv", 4096)))
    assert each["score"] == found["score"]
    assert each["seconds_per_value"] == pytest.approx(0.009)  # of a hundred


def program(app: fh.App, scheme: str, ring: int) -> Program:
    return problem(app).lowerings(()).program(CATALOGUE["seal"].style(scheme, None), ring)


@fh.app(x=fh.integers(100, low=-3, high=3))
def apart(x: fh.Vector) -> fh.Vector:
    return x * x + 1


@fh.app(x=fh.integers(100, low=-3, high=3))
def together(x: fh.Vector) -> fh.Vector:
    return fh.sum(x * x)


@pytest.mark.parametrize(("scheme", "slots"), [("ckks", 2048), ("bfv", 4096), ("bgv", 4096)])
def test_slots_that_are_free_hold_further_requests_unless_slots_reach_each_other(
    scheme: str, slots: int
) -> None:
    assert requests_at_once(program(apart, scheme, 4096), 4096) == slots // 128
    assert requests_at_once(program(together, scheme, 4096), 4096) == 1
    whole = replace(program(apart, scheme, 4096), slots=slots)
    assert requests_at_once(whole, 4096) == 1
