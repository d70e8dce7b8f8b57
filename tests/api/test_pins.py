"""Pins in Python and on the command line, among all kinds of libraries."""

from pathlib import Path
from typing import Any

import pytest

import fheasible as fh
from api.apps import dot
from fheasible.cli.main import main
from fheasible.errors import UsageError

APP = "examples/4_inner_product.py"


def test_only_sets_with_the_pinned_values_are_searched(place: Path) -> None:
    answer = fh.explore(
        dot, libraries="seal", store=place, params={"ring_dimension": 16384, "special_bits": [60]}
    )
    assert answer.candidates
    assert {(c.ring_dimension, len(c.special_primes)) for c in answer.candidates} == {(16384, 1)}


def test_a_parameter_of_vectors_leaves_table_look_ups_out(place: Path) -> None:
    answer = fh.explore(dot, store=place, params={"ring_dimension": 8192})
    told = " ".join(sentence for _, sentence in answer.beside)
    assert "table look-ups have no ring_dimension" in told


def test_a_parameter_of_table_look_ups_leaves_vectors_out(place: Path) -> None:
    answer: Any = fh.explore(dot, store=place, params={"message": 4, "carry": 4})
    assert {c.settings["message"] for c in answer.candidates} == {4}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"libraries": "seal", "params": {"ring_dimension": 3000}}, "3000 is not possible"),
        ({"libraries": "seal", "params": {"degrees": 3}}, "there is no parameter 'degrees'"),
        ({"params": {"message": 4, "ring_dimension": 8192}}, "ring_dimension is no parameter of table"),
        ({"libraries": "seal,tfhe_rs", "params": {"message": 4}}, "seal has no message"),
        ({"libraries": "reference", "params": {"n": 4096}}, "the ring schemes have no params"),
        ({"libraries": "seal", "params": ["ring_dimension"]}, "is not a mapping"),
    ],
)
def test_an_impossible_pin_is_told(place: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        fh.explore(dot, store=place, **given)
    assert said in caught.value.message
    assert caught.value.remedy


def test_the_command_line_says_which_pin_excludes_everything(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "app.py"
    file.write_text(
        "import fheasible as fh\n\n\n@fh.app(x=fh.reals(64, low=0, high=1))\ndef deep(x):\n"
        "    return fh.mean(x**8)\n"
    )
    words = ["explore", str(file), "--library", "seal", "--store", str(place)]
    assert main([*words, "--param", "ring_dimension=4096", "--param", "scale_bits=45"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "pins: ring_dimension=4096 excludes everything that fits. Without it, SEAL CKKS with N = 2^" in said
    )
    assert "leave a pinned parameter out" in said


def test_a_parameter_that_is_given_twice_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--param", "scale_bits=45", "--param", "scale_bits=46", "--store", str(place)]
    assert main(["explore", APP, *words]) == 2
    assert "scale_bits is given twice, as 45 and 46" in capsys.readouterr().err
