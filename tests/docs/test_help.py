"""Every function of fh shows an example in its help, and the example does what it shows."""

import doctest
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fheasible as fh

FUNCTIONS = [name for name in fh.__all__ if inspect.isfunction(getattr(fh, name))]
RUN = {"run", "verify"}  # on real ciphertexts


def test_all_functions_are_meant() -> None:
    assert len(FUNCTIONS) > 35
    assert {"sum", "table", "explore", "verify"} <= set(FUNCTIONS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.worker] * (name in RUN)) for name in FUNCTIONS]
)
def test_the_help_of_a_function_has_an_example_that_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where some write files
    function: Any = getattr(fh, name)
    assert "\nExample:\n" in inspect.cleandoc(function.__doc__)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={"fh": fh, "np": np})
    assert any(f"fh.{name}(" in e.source or f"fh.{name}," in e.source for e in example.examples), (
        "not its own"
    )
    result = doctest.DocTestRunner().run(example)
    assert result.attempted > 0
    assert result.failed == 0
