"""No test depends on the machine: `--machine NAME` runs any of them as if it were on another. Nor does one
depend on how wide the terminal is, or how long an example takes on a busy machine."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from fheasible.libraries import added
from machines import MACHINES, Facts, on

if TYPE_CHECKING:
    from reports.browser import Browser


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--machine", choices=MACHINES, help="run the tests as if on this machine")


FEW = 12  # examples of each property, with the profile "brief"
settings.register_profile("patient", deadline=None)
settings.register_profile("brief", deadline=None, max_examples=FEW)


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("hypothesis_profile", default=None):
        settings.load_profile("patient")
    os.environ["COLUMNS"] = "100"
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as of `fheasible_start`: two processes run the tests


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With the profile "brief" a property has few examples, however many its own settings ask for."""
    if config.getoption("hypothesis_profile", default=None) != "brief":
        return
    for item in items:
        test = getattr(item, "obj", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)  # Hypothesis has no public name for it
        if own is not None and own.max_examples > FEW:
            test._hypothesis_internal_use_settings = settings(own, max_examples=FEW)


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay till the end: no later search for garbage need look at them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries that the user of this machine has added are no part of a test."""
    monkeypatch.setattr(added, "folder", lambda: tmp_path / "added libraries")


@pytest.fixture(scope="session", autouse=True)
def _machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    name = request.config.getoption("machine")
    if name is None:
        yield
        return
    with on(MACHINES[name], tmp_path_factory.mktemp("machine")):
        yield


@pytest.fixture(params=MACHINES)
def anywhere(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Facts]:
    """Runs a test on each of these machines."""
    facts = MACHINES[request.param]
    with on(facts, tmp_path_factory.mktemp("machine")):
        yield facts


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Browser"]:
    """A browser for the tests of a module."""
    from reports.browser import browser, chromium  # where there is POSIX

    program = chromium()
    assert program is not None
    with browser(program, tmp_path_factory.mktemp("browser")) as found:
        yield found
