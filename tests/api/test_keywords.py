"""Errors of the Python API name its own keywords, and those of the command line its options."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import fheasible as fh
from api.apps import dot, squares
from fheasible.api.keywords import KEYWORDS, SWITCHES, in_python
from fheasible.api.security import security
from fheasible.cli.main import main
from fheasible.errors import FheasibleError, InfeasibleParameters, UnknownName, UsageError

OPTION = re.compile(r"(?<![\w-])--[a-z]")


def test_every_keyword_is_one() -> None:
    functions = (fh.explore, fh.verify, fh.run, fh.emit, security)
    taken = {name for function in functions for name in inspect.signature(function).parameters}
    assert {*KEYWORDS.values(), *SWITCHES.values()} <= taken


@pytest.mark.parametrize(
    ("said", "python"),
    [
        ("give --price-core-hour, --price-gib or both", "give price_core_hour=, price_gib= or both"),
        ("as --failure 40 for once in 2^40", "as failure=40 for once in 2^40"),
        ("allow more: --max-keys", "allow more: max_key_bytes="),
        ("leave --shared-results out", "leave shared_results=True out"),
        ("less --precision; or declare", "less precision=; or declare"),
        ("add --quantum 3 times", "add quantum=True 3 times"),
        ("a re--seed, --prime x=1, 2---security", "a re--seed, --prime x=1, 2---security"),
        ("add --param scale_bits=45, or any --param", 'add params={"scale_bits": "45"}, or any params='),
    ],
)
def test_options_are_named_as_python_has_them(said: str, python: str) -> None:
    assert in_python(said) == python


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"objective": "cost"}, "price_core_hour="),
    ({"failure": -4}, "failure=40"),
    ({"failure": 4000}, "failure=40"),
    ({"requests": 0}, "requests=1000"),
    ({"precision": "many"}, "precision=15"),
    ({"precision": 99}, "precision=15"),
    ({"everything": "yes"}, "everything=True"),
    ({"everything": None}, "everything=True"),
    ({"everything": 1}, "everything=True"),
]


@pytest.mark.parametrize(("given", "remedy"), WRONG)
def test_an_error_names_the_keyword(place: Path, given: dict[str, Any], remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        fh.explore(dot, libraries="seal", store=place, **given)
    assert remedy in caught.value.remedy
    assert not OPTION.search(f"{caught.value} {caught.value.message} {caught.value.remedy}")


def test_the_names_of_the_command_line_do_as_well(place: Path) -> None:
    ours = fh.explore(dot, libraries="seal", max_bytes=2**30, max_seconds=9.0, store=place)
    typed: dict[str, Any] = {"library": "seal", "max_memory": "1GiB", "max_time": 9.0}
    theirs = fh.explore(dot, store=place, **typed)
    assert theirs.best == ours.best
    assert theirs.exploration.wish == ours.exploration.wish
    in_mib: dict[str, Any] = {"library": "seal", "max_memory": 1024, "max_keys": 64}
    wish = fh.explore(dot, store=place, **in_mib).exploration.wish
    assert (wish.max_bytes, wish.max_key_bytes) == (2**30, 64 * 2**20)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"library": "seal", "libraries": "seal"}, "both were given|under two names"),
        ({"max_memory": "1GiB", "max_bytes": 1}, "under two names"),
        ({"max_memory": True}, "not a size"),
        ({"max_memory": "many"}, "many"),
        ({"speed": 3}, "nothing is called speed="),
    ],
)
def test_what_is_given_twice_or_unknown_is_told(place: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fh.explore(dot, store=place, **given)


def test_the_text_of_an_error_has_its_remedy(place: Path) -> None:
    with pytest.raises(UsageError) as caught:
        fh.explore(dot, precision="fifteen", store=place)
    assert caught.value.remedy
    assert str(caught.value) == f"{caught.value.message}\nremedy: {caught.value.remedy}"
    assert str(FheasibleError("only this")) == "only this"


def test_a_failure_that_is_no_exponent_is_told_as_what_it_means(place: Path) -> None:
    with pytest.raises(UsageError, match=r"failure once in 2\^-4 runs"):
        fh.explore(dot, failure=-4, store=place)


def test_the_command_line_names_its_options(capsys: Any, place: Path) -> None:
    app = str(Path(__file__).with_name("apps.py")) + ":dot"
    assert main(["explore", app, "--failure", "-4", "--store", str(place)]) == 2
    assert "as --failure 40" in capsys.readouterr().err


LIMITS = {"max_bytes": 1, "max_ciphertext_bytes": 1, "max_key_bytes": 1, "max_seconds": 1e-9}


@pytest.mark.parametrize("limit", LIMITS)
def test_where_nothing_fits_the_keyword_that_must_give_is_named(place: Path, limit: str) -> None:
    tight: dict[str, Any] = {limit: LIMITS[limit], "libraries": "seal", "scheme": "ckks"}
    answer = fh.explore(squares, store=place, **tight)
    assert [f"{limit}=" in r.remedy for r in answer.rejected] == [True]
    with pytest.raises(InfeasibleParameters) as caught:
        fh.verify(squares, store=place, **tight)
    assert f"{limit}=" in caught.value.remedy
    assert not OPTION.search(f"{caught.value} {caught.value.remedy}")


@pytest.mark.parametrize(
    ("libraries", "message"),
    [
        (None, "none of OpenFHE, SEAL and Lattigo has a scheme 'gsw'"),
        (["seal"], "SEAL has no scheme 'gsw'"),
    ],
)
def test_a_scheme_that_nobody_has_is_told_with_all_that_there_are(
    place: Path, libraries: list[str] | None, message: str
) -> None:
    with pytest.raises(UnknownName, match=re.escape(message)) as caught:
        fh.explore(dot, libraries=libraries, scheme="gsw", store=place)
    titles = "OpenFHE, SEAL and Lattigo" if libraries is None else "SEAL"
    for scheme in ("ckks", "bgv", "bfv"):
        assert scheme in caught.value.remedy
    assert f"({titles})" in caught.value.remedy


def test_of_libraries_that_differ_those_are_left_that_have_the_scheme() -> None:
    """None differs as yet: one is made to."""
    from dataclasses import replace

    from fheasible.api.asking import _schemes, _with
    from fheasible.libraries.catalogue import CATALOGUE

    apart = [CATALOGUE["seal"], replace(CATALOGUE["openfhe"], schemes=("ckks", "tfhe"))]
    assert [(lib.name, lib.schemes) for lib in _with(apart, "TFHE")] == [("openfhe", ("tfhe",))]
    with pytest.raises(FheasibleError, match="none of SEAL and OpenFHE"):
        _with(apart, "rsa")
    assert _schemes(apart) == "ckks (SEAL and OpenFHE); bgv and bfv (SEAL); tfhe (OpenFHE)"
