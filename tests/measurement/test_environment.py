import json
from datetime import datetime

from fheasible.measurement.environment import observe
from fheasible.measurement.machine import this_machine
from fheasible.measurement.records import Hello
from fheasible.store.adding import CIRCUMSTANCES

HELLO = Hello("seal", "4.4.0", "seal-python 4.4.0", {"compression": "none"}, "CPython", (), ())


def test_an_environment_names_all_that_the_store_demands() -> None:
    content = observe("seal", threads=2, seed=7).finished(HELLO).to_json()
    assert set(CIRCUMSTANCES) <= set(content)
    assert content["version"] == "4.4.0"
    assert content["build"] == {"compression": "none"}
    assert (content["threads"], content["seed"]) == (1, 7), "SEAL uses one thread"
    assert content["threads_by_default"] is False
    assert content["machine"] == this_machine().fingerprint
    json.dumps(content)


def test_an_environment_names_the_threads_that_are_really_used() -> None:
    cores = this_machine().cores
    for library, asked, used in (("openfhe", None, cores), ("lattigo", None, 1), ("openfhe", 3, 3)):
        content = observe(library, threads=asked).to_json()
        assert (content["threads"], content["threads_by_default"]) == (used, asked is None)


def test_an_environment_is_complete_only_after_the_measurement() -> None:
    before = observe("seal")
    after = before.finished()
    assert before.load_after is None
    assert after.load_after is not None
    assert after.finished_at is not None
    assert datetime.fromisoformat(before.started) <= datetime.fromisoformat(after.finished_at)
    assert datetime.fromisoformat(before.started).utcoffset() is not None


def test_a_library_that_never_spoke_still_has_an_environment() -> None:
    content = observe("openfhe").finished().to_json()
    assert content["library"] == "openfhe"
    assert content["version"] is None
