"""The catalogue: every library answers the same questions."""

import json
from dataclasses import replace

import pytest

from fheasible.errors import LibraryMissing, UnknownName, UsageError
from fheasible.libraries import chain
from fheasible.libraries.catalogue import BY_NAME, CATALOGUE, library, scheme_of
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.libraries.parameters import Request, request_for
from fheasible.libraries.seal import rules
from fheasible.measurement.registry import libraries
from fheasible.measurement.worker import Worker
from fheasible.program.style import Style
from fheasible.program.types import Scheme

LIBRARY_SCHEMES = [(name, scheme) for name, found in BY_NAME.items() for scheme in found.schemes]
every_scheme = pytest.mark.parametrize(("name", "scheme"), LIBRARY_SCHEMES)


def request(name: str, scheme: str, technique: str | None = None) -> Request:
    """INSECURE, for the shape alone."""
    t = None if scheme == "ckks" else 786_433
    return request_for(scheme, 2, None, plain_modulus=t, technique=technique, ring_dimension=4096)


def test_there_is_an_entry_for_every_library_that_has_a_worker() -> None:
    assert {*BY_NAME, *(lib.worker_of for lib in LOOKUP_LIBRARIES.values())} == set(libraries())
    assert all(found.name == name for name, found in BY_NAME.items())
    assert all(set(found.schemes) <= set(Scheme) for found in BY_NAME.values())


@pytest.mark.parametrize("name", ["seal", "SEAL", "OpenFHE", "Lattigo"])
def test_libraries_and_schemes_are_named_in_any_case(name: str) -> None:
    assert library(name).name == name.lower()
    assert scheme_of(library(name), "CKKS") == scheme_of(library(name), "ckks") == "ckks"


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UnknownName, match="'helib'") as caught:
        library("helib")
    assert all(name in caught.value.remedy for name in BY_NAME)
    with pytest.raises(UnknownName, match="seal has no scheme 'tfhe'") as caught:
        scheme_of(CATALOGUE["seal"], "tfhe")
    assert all(scheme in caught.value.remedy for scheme in ("ckks", "bgv", "bfv"))


def test_the_policy_for_chains_refuses_schemes_that_a_library_has_not() -> None:
    one = replace(rules._LIMITS, schemes=("bfv",))
    assert chain.build(one, request("seal", "bfv")).scheme == "bfv"
    with pytest.raises(UnknownName, match="SEAL has no scheme 'bgv'") as caught:
        chain.build(one, request("seal", "bgv"))
    assert caught.value.remedy == "choose one of bfv"


@pytest.mark.parametrize("name", ["seal", "lattigo"])
@pytest.mark.parametrize("scheme", Scheme)
def test_where_the_user_rescales_programs_are_led_in_all_detail(name: str, scheme: Scheme) -> None:
    signed = (name, scheme) != ("seal", Scheme.BFV)
    expected = Style(scheme, hoists=name == "lattigo", signed_numbers=signed)
    assert CATALOGUE[name].style(scheme.value, None) == expected


@pytest.mark.parametrize(
    ("technique", "automatic", "extended", "exact_scales"),
    [
        ("fixedmanual", False, False, False),
        ("fixedauto", True, False, False),
        ("flexibleauto", True, False, True),
        ("flexibleautoext", True, True, True),
        (None, True, True, True),  # OpenFHE's default is flexibleautoext
    ],
)
def test_openfhe_is_written_for_as_its_technique_wants(
    technique: str | None, automatic: bool, extended: bool, exact_scales: bool
) -> None:
    for scheme in (Scheme.CKKS, Scheme.BGV):
        style = CATALOGUE["openfhe"].style(scheme.value, technique)
        assert (style.scheme, style.automatic, style.extended) == (scheme, automatic, extended)
        assert style.exact_scales == exact_scales
        assert style.mixed_sizes


def test_openfhes_bfv_adds_no_ciphertexts_of_unequal_size() -> None:
    style = CATALOGUE["openfhe"].style("bfv", None)
    assert (style.mixed_sizes, style.automatic, style.leveled) == (False, False, False)


def test_composites_are_openfhes_in_ckks_with_automatic_rescaling() -> None:
    for technique in ("fixedauto", "flexibleauto", "flexibleautoext"):
        assert CATALOGUE["openfhe"].style("ckks", technique, composites=True).composites
        assert not CATALOGUE["openfhe"].style("ckks", technique).composites
    for name, scheme, technique in (
        ("openfhe", "ckks", "fixedmanual"), ("openfhe", "bgv", "fixedauto"), ("openfhe", "bfv", None),
        ("seal", "ckks", None), ("lattigo", "ckks", None),
    ):  # fmt: skip
        with pytest.raises(UsageError, match="composites"):
            CATALOGUE[name].style(scheme, technique, composites=True)


@every_scheme
def test_parameters_name_their_library_and_the_request_that_makes_them_again(name: str, scheme: str) -> None:
    found = BY_NAME[name]
    p = found.parameters(request(name, scheme))
    assert (p.library, p.scheme, p.ring_dimension) == (name, scheme, 4096)
    assert p.request is not None
    assert found.parameters(p.request) == p


@every_scheme
def test_a_worker_is_told_what_json_can_say(name: str, scheme: str) -> None:
    found = BY_NAME[name]
    p = found.parameters(request(name, scheme))
    told = json.loads(json.dumps(found.worker_parameters(p)))
    assert (told["scheme"], told["ring_dimension"], told["security"]) == (scheme, 4096, None)
    if name == "openfhe":
        assert told["depth"] == 2
    else:
        assert [int(x) for x in told["q"]] == list(p.q)
        assert [int(x) for x in told["p"]] == list(p.p)


@pytest.mark.worker
@pytest.mark.parametrize("name", BY_NAME)
def test_the_rules_are_those_of_the_installed_version(name: str) -> None:
    try:
        with Worker(name) as worker:
            hello = worker.hello
    except LibraryMissing as missing:
        pytest.skip(missing.message)
    assert (hello.library, hello.version) == (name, BY_NAME[name].version)
    assert set(BY_NAME[name].schemes) <= set(hello.schemes)


@pytest.mark.worker
@every_scheme
def test_the_worker_makes_the_same_of_the_parameters(name: str, scheme: str) -> None:
    found = BY_NAME[name]
    for technique in found.techniques if scheme != "bfv" else ("",):
        p = found.parameters(request(name, scheme, technique or None))
        try:
            with Worker(name) as worker:
                context = worker.describe(found.worker_parameters(p), timeout=60)
        except LibraryMissing as missing:
            pytest.skip(missing.message)
        assert (context.ring_dimension, context.q) == (p.ring_dimension, p.q)
        assert context.plain_modulus == (None if p.scheme == "ckks" else p.plain_modulus)
