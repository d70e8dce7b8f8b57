"""A store with a profile of each library, as `fheasible calibrate` would leave it; no profile that ships."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from estimation.profiles import invented
from fheasible.calibration import defaults
from fheasible.calibration.defaults import default_profile
from fheasible.calibration.lookup_profiles import default_lookup_profile
from fheasible.store.store import Store

VERSIONS = {"openfhe": "1.6.1", "seal": "4.4.0", "lattigo": "6.1.1"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the store."""
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    with Store.open(path) as store:
        for library, version in VERSIONS.items():
            made = replace(invented(library, 1e-10), version=version, error_band=0.25, wall_factor=1.5)
            store.add_profile(made.machine, library, version, 1, made.to_json())
    return path


@pytest.fixture(autouse=True)
def nothing_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(defaults, "FOLDER", tmp_path / "defaults")
    default_profile.cache_clear()
    default_lookup_profile.cache_clear()
    yield
    default_profile.cache_clear()
    default_lookup_profile.cache_clear()
