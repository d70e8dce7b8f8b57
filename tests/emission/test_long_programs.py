"""Programs of look-ups that nobody would read are refused before they are searched, with their size."""

import re
from pathlib import Path

import pytest

import fheasible as fh
from fheasible.emission.targets.catalogue import target
from fheasible.emission.targets.target import LookupTarget
from fheasible.errors import InfeasibleParameters, UnsupportedOperation

from .running import emitted

SMALL = {"message": "4", "carry": "4", "set": "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128"}


@fh.app(x=fh.integers(4, low=0, high=15))
def short(x: fh.Vector) -> fh.Vector:
    return x * x


# No two of them as far from their place, so that no loop is seen in it.
PARTNERS = [2 * i % 300 for i in range(300)]


@fh.app(x=fh.integers(300, low=0, high=2**20 - 1))
def long(x: fh.Vector) -> fh.Vector:
    return fh.concatenate([x[i] * x[j] for i, j in enumerate(PARTNERS)])


@fh.app(x=fh.reals(300, low=0, high=1))
def long_reals(x: fh.Vector) -> fh.Vector:
    return fh.concatenate([x[i] * x[j] for i, j in enumerate(PARTNERS)])


@pytest.mark.parametrize("app", [long, long_reals], ids=lambda app: app.name)
def test_a_long_program_is_refused_with_its_size(app: fh.App, tmp_path: Path) -> None:
    said = r"more than \d+,000 steps .* only programs of up to 10,000 steps are written as code"
    with pytest.raises(InfeasibleParameters, match=said):
        emitted(app, "tfhe-rs", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_long_program_with_given_parameters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UnsupportedOperation, match=r"it takes [\d,]+ steps, and only programs of up to 10,000"
    ):
        emitted(long, "tfhe-rs", tmp_path / "out", SMALL)


def test_a_short_program_is_written_in_a_package_of_its_name(tmp_path: Path) -> None:
    emitted(short, "tfhe-rs", tmp_path / "out", SMALL)
    for file in ("Cargo.toml", "Cargo.lock"):
        assert re.findall(r'^name = "(emitted.*)"$', (tmp_path / "out" / file).read_text(), re.M) == [
            "emitted-short"
        ]


def test_names_that_are_no_packages_become_some() -> None:
    to = target("tfhe-rs")
    assert isinstance(to, LookupTarget)
    assert b'name = "emitted-a_b_1"' in to.project("a b.1")["Cargo.toml"]
