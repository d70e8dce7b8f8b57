"""Work that is shared out among the machines of a Dask cluster: one piece at a time on each of them.

Dask carries pieces and results and knows which workers live. Who does what is decided here: a machine gets
its next piece when it has done the one before, however many workers and threads it has. A machine that
disappears loses the piece that it was at; another one does that piece.
"""

import asyncio
import logging
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from fheasible.errors import ClusterError, FheasibleError
from fheasible.measurement.hosts import Host, do, introduce, versions

EXTRA = 'install it, which is the extra distributed: pip install "distributed>=2025.1"'
START = "start one with `dask scheduler`, and `dask worker ADDRESS` on each host: docs/clusters.md"
AGAIN = "what was measured is stored: the same command continues"
ANSWER_SECONDS = 4.0  # the longest wait for a scheduler's answer
PATIENCE_SECONDS = 20.0  # the longest wait for a host to join
MOST_LOSSES = 3  # hosts that a piece may lose before it is given up
_LOOK_SECONDS = 0.5  # between two looks at which workers live
_POLL_SECONDS = 0.05

Say = Callable[[str], None]


class Future(Protocol):
    """What is used of Dask's futures."""

    @property
    def status(self) -> str: ...
    def done(self) -> bool: ...
    def result(self) -> Any: ...
    def exception(self) -> BaseException: ...
    def cancel(self) -> None: ...


class Client(Protocol):
    """What is used of Dask's client."""

    @property
    def status(self) -> str: ...
    def nthreads(self) -> Any: ...
    def run(self, function: Any, *arguments: Any, workers: list[str], on_error: str) -> Any: ...
    def submit(self, function: Any, *arguments: Any, **how: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work. `key` is the same for the same work, whichever process asks for it; `sent` makes what
    a host is sent. `machine`: the fingerprint of the machine that does it as long as it is in the cluster;
    empty where any may do it."""

    key: str
    told: str
    sent: Callable[[], bytes]
    machine: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a piece, and the host that has done it. `lost` says why there is no result."""

    number: int  # of the piece
    host: str
    result: Any = None
    lost: str = ""


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at that address. ClusterError where Dask is not installed, or where no
    scheduler answers there in a few seconds."""
    try:
        from distributed import Client as DaskClient
    except ImportError:
        raise ClusterError("--cluster needs Dask distributed, which is not installed", EXTRA) from None
    _silence()
    _check_answers(address)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about versions, which `introduce` compares
        client = DaskClient(address, timeout=ANSWER_SECONDS, set_as_default=False)
    try:
        yield client
    finally:
        client.close(timeout=ANSWER_SECONDS)


def _silence() -> None:
    """Keeps what Dask logs from the terminal: our messages say what matters."""
    own = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    for name in ("distributed", *own):  # each of which has a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _check_answers(address: str) -> None:
    """Raises ClusterError unless a Dask scheduler answers. (A client that cannot connect leaves threads
    behind, which complain later.)"""
    try:
        kind = asyncio.run(asyncio.wait_for(_identity(address), ANSWER_SECONDS))
    except ValueError as error:
        raise ClusterError(
            f"{address!r} is not a scheduler's address: {error}", "write --cluster tcp://HOST:8786"
        ) from None
    except Exception as error:  # of whatever kind: another service may answer anything
        why = str(error) or "no answer"
        raise ClusterError(f"no Dask scheduler answers at {address} ({why})", START) from None
    if kind != "Scheduler":
        raise ClusterError(f"at {address} answers a Dask {kind}, not a scheduler", START)


async def _identity(address: str) -> str:
    from distributed.core import connect

    comm = await connect(address, timeout=ANSWER_SECONDS)
    try:
        await comm.write({"op": "identity", "reply": True})
        return str((await comm.read())["type"])
    finally:
        await comm.close()


@dataclass(slots=True)
class Campaign:
    """Pieces that the hosts of a cluster do by `work`. `check` runs on each host and says why it cannot be
    used. `finished` gives the result of a piece whose host was lost, where it was stored before that."""

    client: Client
    pieces: Sequence[Piece]
    work: Callable[[bytes], Any]
    check: Callable[[], str]
    finished: Callable[[int], Any]
    say: Say
    _met: dict[str, Host] = field(default_factory=dict, init=False)  # by the addresses of workers
    _at: dict[str, tuple[int, Future]] = field(default_factory=dict, init=False)  # what each worker does
    _waiting: deque[int] = field(default_factory=deque, init=False)
    _losses: Counter[int] = field(default_factory=Counter, init=False)
    _unfit: dict[str, str] = field(default_factory=dict, init=False)  # why, by the names of hosts

    def results(self) -> Iterator[Done]:
        """The result of each piece when it is there. ClusterError where no host is left to go on with."""
        self._waiting.extend(range(len(self.pieces)))
        looked = alone_since = 0.0
        try:
            while self._waiting or self._at:
                if time.monotonic() - looked > _LOOK_SECONDS:
                    yield from self._look()
                    looked = time.monotonic()
                    alone_since = 0.0 if self._fit() else alone_since or self._alone()
                    self._refuse_alone(alone_since)
                self._assign()
                yield from self._collected()
                time.sleep(_POLL_SECONDS)
        finally:
            for _, future in self._at.values():
                future.cancel()  # unless it has begun: then the host ends and stores it

    def _look(self) -> Iterator[Done]:
        """Meets new workers and misses those that are gone, with what comes of their pieces."""
        there = self._workers()
        for address in [a for a in self._met if a not in there]:
            host = self._met.pop(address)
            if address in self._at:
                yield from self._given_back(self._at.pop(address)[0], host, "the host disappeared")
        new = [a for a in there if a not in self._met]
        if new:
            answers = self.client.run(introduce, self.check, versions(), workers=new, on_error="return")
            for address, host in answers.items():
                self._meet(address, host)

    def _workers(self) -> list[str]:
        try:
            if self.client.status == "running":
                return sorted(self.client.nthreads())  # by the addresses of workers
        except (OSError, TimeoutError):
            pass
        raise ClusterError("the connection to the scheduler is lost", f"start it again; {AGAIN}")

    def _meet(self, address: str, host: Any) -> None:
        if not isinstance(host, Host):  # Fheasible is not installed there, or is another version
            why = f"Fheasible does not answer there ({host}); remedy: install {versions()} there"
            host = Host(address, address, "", "", why)
        self._met[address] = host
        if host.unfit:
            self._leave_out(address, host.unfit)

    def _leave_out(self, address: str, why: str) -> None:
        host = self._met[address] = replace(self._met[address], unfit=why)
        if self._unfit.get(host.name) != why:
            self._unfit[host.name] = why
            self.say(f"warning: {host.name} is left out: {why}")

    def _fit(self) -> bool:
        return any(not host.unfit for host in self._met.values())

    def _alone(self) -> float:
        """The time from which on there is no host."""
        self.say(f"waiting up to {PATIENCE_SECONDS:.0f} seconds for a host")
        return time.monotonic()

    def _refuse_alone(self, since: float) -> None:
        """Raises ClusterError where there is no host and none joins."""
        if not since:
            return
        late = time.monotonic() - since > PATIENCE_SECONDS
        if self._met and (late or not self._losses):  # a lost host may come back
            name, why = next(iter(self._unfit.items()))
            raise ClusterError(f"no host of the cluster can be used; {name}: {why}", AGAIN)
        if late:
            raise ClusterError(
                "the scheduler has no workers", f"run `dask worker ADDRESS` on each host; {AGAIN}"
            )

    def _assign(self) -> None:
        """Gives each idle host its next piece. A host that was met at work on one of these pieces, whose
        coordinator is gone, gets this one: it will find the result."""
        busy = {self._met[address].identity for address in self._at}
        for address, host in sorted(self._met.items(), key=lambda met: (not met[1].running, met[0])):
            if host.unfit or host.identity in busy:
                continue
            number = self._next(host)
            if number is not None:
                busy.add(host.identity)
                self._submit(address, number)

    def _next(self, host: Host) -> int | None:
        begun = {other.running for other in self._met.values() if other.running}
        reserved = {other.machine for other in self._met.values() if not other.unfit} - {host.machine}
        own = (i for i in self._waiting if host.running and self.pieces[i].key == host.running)
        free = (
            i
            for i in self._waiting
            if self.pieces[i].key not in begun and self.pieces[i].machine not in reserved
        )
        found = next(own, None)
        return next(free, None) if found is None else found

    def _submit(self, address: str, number: int) -> None:
        self._waiting.remove(number)
        piece = self.pieces[number]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the size of what is sent
            future = self.client.submit(
                do, piece.key, self.work, piece.sent(), workers=[address], allow_other_workers=False,
                pure=False, retries=0,
            )  # fmt: skip
        self._at[address] = (number, future)

    def _collected(self) -> Iterator[Done]:
        for address, (number, future) in list(self._at.items()):
            if not future.done():
                continue
            del self._at[address]
            host = self._met[address] = replace(self._met[address], running="")
            if future.status == "finished":
                result = future.result()
                if not isinstance(result, FheasibleError):
                    yield Done(number, host.name, result)
                    continue
                self._leave_out(address, f"{result.message}; remedy: {result.remedy}")
                self._waiting.appendleft(number)
            else:
                self._workers()  # where the scheduler is lost, so is every task
                yield from self._given_back(number, host, self._why(future))

    @staticmethod
    def _why(future: Future) -> str:
        return str(future.exception()) if future.status == "error" else f"its task was {future.status}"

    def _given_back(self, number: int, host: Host, why: str) -> Iterator[Done]:
        """The result of a piece that its host has not handed in, where it was stored all the same. Else the
        piece is done again, unless it has lost too many hosts."""
        result = self.finished(number)
        if result is not None:
            yield Done(number, host.name, result)
            return
        self._losses[number] += 1
        told = self.pieces[number].told
        if self._losses[number] >= MOST_LOSSES:
            yield Done(number, host.name, lost=f"{MOST_LOSSES} hosts were lost with it, {host.name} the last")
            return
        self.say(f"warning: {host.name} was lost ({why}); {told} is run again")
        self._waiting.appendleft(number)
