"""Who does what on a cluster, with a client in place of Dask's, and what is said where there is none."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from fheasible.errors import ClusterError, LibraryMissing
from fheasible.measurement import cluster, hosts
from fheasible.measurement.cluster import MOST_LOSSES, Campaign, Done, Piece, connected
from fheasible.measurement.hosts import Host, do, introduce, versions


class Task:
    """A future of Dask's: done as soon as it is begun, unless its worker is killed by it."""

    def __init__(self, status: str, result: Any) -> None:
        self.status, self._result = status, result

    def done(self) -> bool:
        return self.status != "pending"

    def result(self) -> Any:
        return self._result

    def exception(self) -> BaseException:
        return RuntimeError("killed")

    def cancel(self) -> None:
        self.status = "cancelled"


class Workers:
    """A client of workers that are hosts by address. `work` gives each piece's result; None kills the
    worker."""

    status = "running"

    def __init__(self, met: Mapping[str, Any], work: Callable[[str, str], Any]) -> None:
        self.met, self._work = dict(met), work
        self.begun: list[tuple[str, str]] = []

    def nthreads(self) -> Any:
        return dict.fromkeys(self.met, 4)

    def run(self, *_: Any, workers: list[str], **__: Any) -> Any:
        return {address: self.met[address] for address in workers}

    def submit(self, _: Any, key: str, *__: Any, workers: list[str], **___: Any) -> Task:
        (address,) = workers
        self.begun.append((address, key))
        result = self._work(address, key)
        if result is None:
            del self.met[address]
        return Task("pending" if result is None else "finished", result)


def host(name: str, **told: Any) -> Host:
    return replace(Host(name, name, "f00", "", ""), **told)


def campaign(client: Any, keys: str, said: list[str], finished: Any = lambda _: None) -> list[Done]:
    pieces = [Piece(key, f"piece {key}", bytes) for key in keys]
    return list(Campaign(client, pieces, bytes, str, finished, said.append).results())


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LOOK_SECONDS", "_POLL_SECONDS"):
        monkeypatch.setattr(cluster, name, 0.0)
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.1)


def test_every_piece_is_done_once_and_workers_of_one_machine_take_turns() -> None:
    client = Workers({"1": host("a"), "2": host("a"), "3": host("b")}, lambda address, key: key)
    done = campaign(client, "vwxyz", [])
    assert sorted(d.result for d in done) == list("vwxyz")
    assert {address for address, _ in client.begun} == {"1", "3"}


def test_a_piece_whose_host_disappears_is_done_by_another() -> None:
    said: list[str] = []
    client = Workers({"1": host("a"), "2": host("b")}, lambda address, key: key if address == "2" else None)
    done = campaign(client, "xyz", said)
    assert sorted(d.result for d in done) == list("xyz")
    assert said == ["warning: a was lost (the host disappeared); piece x is run again"]


def test_what_a_lost_host_has_stored_is_not_done_again() -> None:
    client = Workers({"1": host("a"), "2": host("b")}, lambda address, key: key if address == "2" else None)
    done = campaign(client, "xy", [], finished=lambda number: f"stored {number}")
    assert {d.result for d in done} == {"stored 0", "y"}
    assert len(client.begun) == 2


def test_a_piece_goes_to_its_machine_as_long_as_that_is_there() -> None:
    client = Workers(
        {"1": host("a", machine="small"), "2": host("b", machine="large")}, lambda address, key: key
    )
    machines = {"v": "large", "w": "large", "x": "large", "y": "gone", "z": ""}
    pieces = [Piece(key, key, bytes, machine) for key, machine in machines.items()]
    done = list(Campaign(client, pieces, bytes, str, lambda _: None, print).results())
    assert sorted(d.result for d in done) == list("vwxyz")
    assert {key: address for address, key in client.begun if key in "vwx"} == dict.fromkeys("vwx", "2")
    assert {address for address, key in client.begun if key in "yz"} == {"1"}


def test_a_piece_that_kills_every_host_is_given_up() -> None:
    met = {str(i): host(f"h{i}") for i in range(MOST_LOSSES + 1)}
    client = Workers(met, lambda address, key: None if key == "x" else key)
    done = {d.number: d for d in campaign(client, "xy", [])}
    assert f"{MOST_LOSSES} hosts were lost" in done[0].lost
    assert done[1].result == "y"


def test_a_host_that_cannot_do_it_is_left_out_and_its_piece_goes_elsewhere() -> None:
    said: list[str] = []
    missing = LibraryMissing("no SEAL there", "install it")
    client = Workers(
        {"1": host("a"), "2": host("b"), "3": host("c", unfit="it is old"), "4": ImportError("no module")},
        lambda address, key: missing if address == "1" else key,
    )
    done = campaign(client, "xyz", said)
    assert sorted(d.result for d in done) == list("xyz")
    assert {address for address, _ in client.begun} == {"1", "2"}
    assert "warning: a is left out: no SEAL there; remedy: install it" in said
    assert "warning: c is left out: it is old" in said


def test_a_host_that_was_met_at_work_on_a_piece_gets_that_piece() -> None:
    """Its coordinator was killed; the result will be stored when its turn comes."""
    client = Workers({"1": host("a"), "2": host("b", running="z")}, lambda address, key: key)
    campaign(client, "xyz", [])
    assert ("2", "z") in client.begun
    assert len(client.begun) == 3


@pytest.mark.parametrize("met", [{}, {"1": host("a", unfit="it is old")}])
def test_without_a_host_it_is_said_and_nothing_waits_for_ever(met: dict[str, Host]) -> None:
    with pytest.raises(ClusterError, match=r"no workers|it is old") as caught:
        campaign(Workers(met, lambda *_: "x"), "x", [])
    assert "stored" in caught.value.remedy


def test_a_scheduler_that_is_lost_ends_the_campaign() -> None:
    client = Workers({"1": host("a")}, lambda *_: "x")
    client.status = "connecting"
    with pytest.raises(ClusterError, match="the connection to the scheduler is lost"):
        campaign(client, "x", [])


def test_a_host_introduces_itself_and_says_what_keeps_it_from_the_work() -> None:
    assert introduce(str, versions()) == introduce(str, versions())
    assert introduce(str, versions()).unfit == ""
    assert "install the same versions" in introduce(str, "Fheasible 0 on Python 2").unfit
    assert introduce(lambda: "no room", versions()).unfit == "no room"

    def failing() -> str:
        raise LibraryMissing("no worker", "install it")

    assert introduce(failing, versions()).unfit == "no worker; remedy: install it"


def test_a_host_tells_which_piece_it_does_and_hands_expected_failures_in() -> None:
    running: list[str] = []

    def work(_: bytes) -> None:
        running.append(introduce(str, versions()).running)
        raise LibraryMissing("no worker", "install it")

    assert isinstance(do("x", work, b""), LibraryMissing)
    assert running == ["x"]
    assert introduce(str, versions()).running == ""
    assert not hosts._turn.locked()


def test_without_the_extra_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError) as caught, connected("tcp://127.0.0.1:1"):
        pass
    assert "extra distributed" in caught.value.remedy


@pytest.mark.skipif(not find_spec("distributed"), reason="needs the extra distributed")
@pytest.mark.parametrize(
    ("address", "words"),
    [("tcp://127.0.0.1:1", "no Dask scheduler answers"), ("nowhere", "not a scheduler's address")],
)
@pytest.mark.long
def test_a_scheduler_that_does_not_answer_is_one_message_in_seconds(address: str, words: str) -> None:
    begun = time.monotonic()
    with pytest.raises(ClusterError, match=words), connected(address):
        pass
    assert time.monotonic() - begun < 3 * cluster.ANSWER_SECONDS
