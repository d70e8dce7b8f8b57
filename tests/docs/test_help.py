"""Every function of fh shows an example in its help, and the example does what it shows."""

import doctest
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.api.security import security

FUNCTIONS: dict[str, Any] = {
    name: getattr(fh, name) for name in fh.__all__ if inspect.isfunction(getattr(fh, name))
} | {"security": security}  # which fh has as a folder that can be called
RUN = ("run", "verify")  # on real ciphertexts


def test_all_functions_are_meant() -> None:
    assert len(FUNCTIONS) > 40
    assert {"sum", "table", "explore", "verify"} <= set(FUNCTIONS)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.worker) if n in RUN else n for n in FUNCTIONS]
)
def test_the_help_of_a_function_has_an_example_that_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "report":
        pytest.importorskip("altair")
    monkeypatch.chdir(tmp_path)  # where some write files
    monkeypatch.setenv("HOME", str(tmp_path))  # no results of the user's are read or written
    function = FUNCTIONS[name]
    assert "\nExample:\n" in inspect.cleandoc(function.__doc__)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={"fh": fh, "np": np})
    assert any(f"fh.{name}(" in e.source for e in example.examples), "the example is another function's"
    result = doctest.DocTestRunner().run(example)
    assert result.attempted > 0
    assert result.failed == 0
