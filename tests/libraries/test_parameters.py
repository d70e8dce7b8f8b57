"""Requests and parameters by kind, and their one form for stores and workers."""

import json
from dataclasses import fields
from typing import Any

import pytest

from fheasible.errors import UnknownName, UsageError
from fheasible.libraries import forms
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.forms import parameters_form, parameters_of, request_form, request_of
from fheasible.libraries.parameters import (
    PARAMETERS,
    REQUESTS,
    CkksRequest,
    IntegerRequest,
    Parameters,
    parameters_for,
    request_for,
)

EVERY = [(name, scheme) for name, found in CATALOGUE.items() for scheme in found.schemes]


def made(library: str, scheme: str) -> Parameters:
    own = {"noise_estimate": 12.0 if library == "openfhe" else None}
    own = own if scheme == "ckks" else {"plain_modulus": 786_433}
    return CATALOGUE[library].parameters(request_for(scheme, 2, **own))


@pytest.mark.parametrize(
    ("scheme", "setting"),
    [
        ("ckks", {"plain_modulus": 65537}),
        ("ckks", {"eval_add_count": 3}),
        ("ckks", {"key_switch_count": 3}),
        ("bgv", {"noise_estimate": 10.0}),
        ("bfv", {"noise_estimate": 10.0}),
    ],
)
def test_a_setting_that_the_scheme_does_not_have_is_refused_with_those_that_it_has(
    scheme: str, setting: dict[str, Any]
) -> None:
    (name,) = setting
    with pytest.raises(UsageError, match=f"{scheme.upper()} has no {name}") as refused:
        request_for(scheme, 1, **setting)
    assert "scale_bits" in refused.value.remedy
    assert name not in refused.value.remedy
    assert request_for(scheme, 1, **{name: None}) == request_for(scheme, 1)


def test_another_scheme_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UnknownName, match="'tfhe'") as refused:
        request_for("tfhe", 1)
    assert all(scheme in refused.value.remedy for scheme in REQUESTS)


def test_a_kind_does_not_have_the_fields_of_another() -> None:
    assert not hasattr(CkksRequest("ckks", 1), "plain_modulus")
    assert not hasattr(IntegerRequest("bgv", 1), "noise_estimate")
    assert not hasattr(parameters_for("seal", "ckks", 4096, (97,)), "plain_modulus")
    assert not hasattr(parameters_for("seal", "bfv", 4096, (97,), plain_modulus=17), "scales")


def test_the_form_has_every_field_of_every_kind() -> None:
    assert {*forms._REQUEST, forms._BOOTSTRAP} == {f.name for kind in REQUESTS.values() for f in fields(kind)}
    assert {*forms._PARAMETERS, forms._BOOTSTRAP} == {
        f.name for kind in PARAMETERS.values() for f in fields(kind)
    }


@pytest.mark.parametrize(("library", "scheme"), EVERY)
def test_parameters_come_back_from_their_form_also_by_way_of_json(library: str, scheme: str) -> None:
    p = made(library, scheme)
    form = parameters_form(p)
    assert parameters_of(form) == p
    assert parameters_of(json.loads(json.dumps(form))) == p
    assert p.request is not None
    assert request_of(json.loads(json.dumps(request_form(p.request)))) == p.request


def test_the_form_is_the_one_that_stores_have() -> None:
    """Version 1 wrote this, when one class had the fields of every scheme."""
    request = IntegerRequest("bgv", 2, plain_modulus=65537, prime_bits=(50, 40, 40))
    assert list(request_form(request).items()) == [
        ("scheme", "bgv"), ("depth", 2), ("security", 128), ("quantum", False), ("scale_bits", None),
        ("first_bits", None), ("technique", None), ("plain_modulus", 65537), ("batch", None),
        ("digits", None), ("key_switching", None), ("ring_dimension", None), ("secret", None),
        ("prime_bits", (50, 40, 40)), ("special_bits", None), ("eval_add_count", None),
        ("key_switch_count", None), ("noise_estimate", None),
    ]  # fmt: skip
    p = parameters_for("seal", "bgv", 4096, (97, 193), plain_modulus=17)
    assert list(parameters_form(p).items()) == [
        ("library", "seal"), ("scheme", "bgv"), ("ring_dimension", 4096), ("q", (97, 193)), ("p", ()),
        ("digits", 1), ("technique", ""), ("key_switching", ""), ("secret", "uniform_ternary"),
        ("plain_modulus", 17), ("scales", ()), ("levels", 0), ("extended_limbs", 0), ("flooding", 0.0),
        ("request", None),
    ]  # fmt: skip


def test_a_field_that_this_version_does_not_know_is_not_read() -> None:
    with pytest.raises(TypeError, match="colour"):
        request_of(request_form(CkksRequest("ckks", 1)) | {"colour": None})
