"""Calls of the command line in this process, with a store of their own, on applications of a few elements."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from estimation.profiles import invented
from fheasible.calibration import defaults
from fheasible.calibration.defaults import default_profile
from fheasible.calibration.lookup_profiles import default_lookup_profile
from fheasible.cli import settings
from fheasible.cli.main import main
from fheasible.estimation.profile import Profile
from fheasible.measurement import registry
from fheasible.store.store import Store

INTEGERS = """
import fheasible as fh

@fh.app(a=fh.integers(16, low=0, high=15), b=fh.integers(16, low=0, high=15))
def dot(a, b):
    return fh.inner_product(a, b)
"""

REALS = """
import fheasible as fh

@fh.app(x=fh.reals(8, low=0, high=1))
def squares(x):
    return x * x
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """All of stdout as one JSON document; anything beside it is an error here."""
        return json.loads(self.out)


Call = Callable[..., Answer]


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], store_path: Path) -> Call:
    """main() on the given words, with a store that no other test sees. No exception may leave it."""

    def answer(*words: str) -> Answer:
        capfd.readouterr()
        code = main([*words, "--store", str(store_path)])
        return Answer(code, *capfd.readouterr())

    return answer


@pytest.fixture
def integers(tmp_path: Path) -> str:
    return _written(tmp_path / "dot.py", INTEGERS)


@pytest.fixture
def reals(tmp_path: Path) -> str:
    return _written(tmp_path / "squares.py", REALS)


def _written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are looked for in an empty folder."""
    monkeypatch.setattr(registry, "workers_folder", lambda: tmp_path / "workers")


@pytest.fixture(autouse=True)
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file of settings, which is not there."""
    file = tmp_path / "settings" / "fheasible.toml"
    monkeypatch.setattr(settings, "user_file", lambda: file)
    return file


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Profile], None]]:
    """No profile ships, but what is put there by this."""
    folder = tmp_path / "defaults"
    folder.mkdir()
    monkeypatch.setattr(defaults, "FOLDER", folder)
    default_profile.cache_clear()
    default_lookup_profile.cache_clear()

    def add(made: Profile) -> None:
        (folder / f"{made.library}.json").write_text(json.dumps(made.to_json()))
        default_profile.cache_clear()
        default_lookup_profile.cache_clear()

    yield add
    default_profile.cache_clear()
    default_lookup_profile.cache_clear()


@pytest.fixture
def installed() -> Callable[[str], None]:
    """Skips the test where a library is not installed."""

    def check(library: str) -> None:
        if not registry.command(library).installed:
            pytest.skip(f"{library} is not installed")

    return check


@pytest.fixture
def calibrated(store_path: Path) -> Callable[..., Profile]:
    """Puts a profile into the store in which every feature costs a tenth of a nanosecond."""

    def add(library: str, version: str, schemes: tuple[str, ...] = ("ckks", "bgv", "bfv")) -> Profile:
        made = invented_profile(library, version, schemes)
        with Store.open(store_path) as store:
            store.add_profile(made.machine, library, version, 1, made.to_json())
        return made

    return add


def invented_profile(library: str, version: str, schemes: tuple[str, ...]) -> Profile:
    made = invented(library, 1e-10)
    own = {name: prices for name, prices in made.coefficients.items() if name.split("/")[0] in schemes}
    return replace(
        made, version=version, coefficients=own, memory={s: made.memory[s] for s in schemes},
        error_band=0.25, wall_factor=1.5,
    )  # fmt: skip
