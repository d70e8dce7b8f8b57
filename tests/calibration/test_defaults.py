"""Profiles that ship with the project: used where there is none of this machine, and no more believed."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from estimation.profiles import invented, telling
from fheasible.calibration import defaults
from fheasible.calibration.defaults import BAND, FOLDER, default_profile, guess, shipped
from fheasible.calibration.lookup_profiles import default_lookup_profile
from fheasible.calibration.profiles import at_hand, of_this_machine, save
from fheasible.estimation.features import NAMES, Shape
from fheasible.estimation.profile import Profile, TimedShape
from fheasible.estimation.threads import Serial, ThreadModel
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import Task
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.libraries.lookup_library import LookupTask
from fheasible.libraries.work import layout_of
from fheasible.store.store import Store
from libraries.chains import chain

CPU = "Some CPU @ 3 GHz"
ADD = Shape(4096, layout_of(chain("seal", "ckks", 3)), Task("add", 2))
ELSEWHERE = replace(
    telling("seal", points=(TimedShape(ADD, 1.0),)),
    machine="0123456789abcdef",
    created="2026-01-01",
    origin=CPU,
)
# what the project has now, for libraries of vectors and of table look-ups
SHIPPED, LOOKUPS = (
    [file for file in sorted(FOLDER.glob("*.json")) if (file.stem in LOOKUP_LIBRARIES) is looks_up]
    for looks_up in (False, True)
)
Ship = Callable[[str, Profile], None]


@pytest.fixture
def ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ship]:
    """Puts a profile among those that ship, of which there are none before."""
    monkeypatch.setattr(defaults, "FOLDER", tmp_path)
    default_profile.cache_clear()

    def write(name: str, profile: Profile) -> None:
        (tmp_path / f"{name}.json").write_text(json.dumps(profile.to_json()))
        default_profile.cache_clear()

    yield write
    default_profile.cache_clear()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def test_a_shipped_profile_predicts_as_it_did_where_it_was_measured(ship: Ship) -> None:
    ship("seal", ELSEWHERE)
    found = default_profile("seal")
    assert found is not None
    assert found.seconds(ADD) == ELSEWHERE.seconds(ADD) > 0
    assert (found.origin, found.machine) == (CPU, ELSEWHERE.machine)
    assert found.memory == ELSEWHERE.memory


@pytest.mark.parametrize(("own", "told"), [(0.02, BAND), (BAND, BAND), (0.9, 0.9)])
def test_its_error_band_is_wide(ship: Ship, own: float, told: float) -> None:
    """However well it predicts where it was measured."""
    ship("seal", replace(ELSEWHERE, error_band=own))
    found = default_profile("seal")
    assert found is not None
    assert found.error_band == told
    assert BAND >= 0.3


@pytest.mark.usefixtures("ship")
def test_where_none_ships_there_is_none(store: Store) -> None:
    assert default_profile("seal") is None
    assert at_hand(store, CATALOGUE) == {}


def test_what_another_cost_model_meant_or_what_has_no_name_does_not_count(ship: Ship) -> None:
    ship("seal", replace(ELSEWHERE, model=1))
    assert default_profile("seal") is None
    ship("seal", replace(ELSEWHERE, names=NAMES[::-1]))
    assert default_profile("seal") is None
    ship("seal", replace(ELSEWHERE, origin=""))  # it would pass for one of this machine
    assert default_profile("seal") is None


def test_a_profile_ships_with_its_processor_and_without_its_points(ship: Ship) -> None:
    own = telling("seal", points=(TimedShape(ADD, 1.0),))
    ship("seal", shipped(own, CPU))
    found = default_profile("seal")
    assert found is not None
    assert (found.origin, found.points) == (CPU, ())
    assert found.seconds(ADD) == own.seconds(ADD)


def test_it_stands_in_for_what_was_not_calibrated_here(ship: Ship, store: Store) -> None:
    ship("seal", ELSEWHERE)
    ship("lattigo", replace(invented("lattigo"), origin=CPU))
    own = replace(invented("seal"), error_band=0.03)
    save(store, own)
    found = at_hand(store, CATALOGUE)
    assert set(found) == {"seal", "lattigo"}
    assert found["seal"] == own
    assert (found["lattigo"].origin, found["lattigo"].error_band) == (CPU, BAND)
    assert of_this_machine(store, CATALOGUE) == {"seal": own}
    assert set(at_hand(store, ["lattigo", "openfhe"])) == {"lattigo"}


def test_one_of_this_machine_by_another_cost_model_does_not_take_its_place(ship: Ship, store: Store) -> None:
    ship("seal", ELSEWHERE)
    save(store, replace(invented("seal"), model=1))
    assert at_hand(store, ["seal"])["seal"].origin == CPU


def test_it_tells_of_more_threads_what_was_measured(ship: Ship, store: Store) -> None:
    """Where threads share out limbs, nothing is known without a measurement; other libraries need none."""
    for name in ("seal", "openfhe"):
        ship(name, ELSEWHERE)
    assert {name: p.threads for name, p in at_hand(store, ["seal", "openfhe"], threads=2).items()} == {
        "seal": 2
    }
    parallel = ThreadModel("openfhe", "1.6.1", "m", (1, 2), {"ckks/add": Serial(0.0, 0.0)})
    save(store, replace(invented("openfhe"), parallel=parallel))
    assert at_hand(store, ["openfhe"], threads=2)["openfhe"].parallel == parallel


def test_runs_are_chosen_by_it_or_by_a_nanosecond_for_each_step(ship: Ship) -> None:
    # of two polynomials of 3 limbs, each added, copied, read and written three times; and two calls
    coefficients = 3 * 2 * 4096
    assert guess("seal").seconds(ADD) == pytest.approx((coefficients * (1 + 1 + 3 + 3) + 2) * 1e-9)
    ship("seal", ELSEWHERE)
    assert guess("seal").seconds(ADD) == ELSEWHERE.seconds(ADD)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_what_ships_is_of_this_cost_model_and_version(file: Path) -> None:
    default_profile.cache_clear()
    found = default_profile(file.stem)
    assert found is not None, "of another cost model: measure it anew"
    assert found.library == file.stem
    assert found.version == CATALOGUE[file.stem].version
    assert found.threads == 1
    assert all(x >= 0 for prices in (found.prices, *found.coefficients.values()) for x in prices)
    for scheme in CATALOGUE[file.stem].schemes:
        assert found.covers(scheme)
        assert scheme in found.memory


@pytest.mark.parametrize("file", LOOKUPS, ids=lambda file: file.stem)
def test_what_ships_for_table_look_ups_prices_every_task_of_every_set(file: Path) -> None:
    default_lookup_profile.cache_clear()
    found = default_lookup_profile(file.stem)
    assert found is not None
    library = LOOKUP_LIBRARIES[file.stem]
    assert (found.library, found.version) == (library.name, library.version)
    assert found.origin
    for each in library.named.values():
        for task in LookupTask:
            assert found.seconds(task, library.work(task, each.scheme, each.parameters)) >= 0
