"""What a question to a worker is, and what comes of asking it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.measurement.conformance.client import Json, Misbehaved, Worker

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Question:
    """`says`: what a worker does that has the answer right, as a sentence. `needs`: the requests of the
    protocol that it takes; `schemes`: those that it can be asked with, all where it is empty. `ask` raises
    Misbehaved where the worker does something else."""

    says: str
    needs: tuple[str, ...]
    ask: Callable[[Any], None]
    schemes: tuple[str, ...] = ()

    def holds(self, answers: tuple[str, ...], scheme: str) -> bool:
        """Whether it can be asked of a worker that answers those requests, with that scheme."""
        return set(self.needs) <= set(answers) and (not self.schemes or scheme in self.schemes)


def expect(right: bool, otherwise: str) -> None:
    """Raises Misbehaved, with what was seen, unless that is right."""
    if not right:
        raise Misbehaved(otherwise)


def expect_refused(reply: Json, kind: str, of: str) -> None:
    """Raises Misbehaved unless the reply refuses, for that kind of reason and with words."""
    seen = f"{of} was answered with {str(reply)[:300]}, not refused as {kind}"
    expect((reply["type"], reply.get("kind")) == ("refused", kind) and bool(reply.get("message")), seen)


def check_greeting(worker: Worker, schemes: tuple[str, ...]) -> None:
    """The hello says who the worker is, and that it has the schemes that are followed."""
    hello = worker.hello
    expect((hello["type"], hello.get("protocol")) == ("hello", 1), f"its first line was {str(hello)[:300]}")
    for name in ("library", "version"):
        told = hello.get(name)
        expect(isinstance(told, str) and bool(told), f"its hello has {name} = {told!r}")
    for name in ("schemes", "operations"):
        told = hello.get(name)
        expect(isinstance(told, list) and bool(told), f"its hello has {name} = {told!r}")
    lacking = [scheme for scheme in schemes if scheme not in hello["schemes"]]
    expect(not lacking, f"its hello has no scheme {', '.join(lacking)}")


def check_manners(worker: Worker, healthy: Callable[[], None]) -> None:
    """Lines that are no requests are refused, and the next request is answered."""
    for line in ('{"type":"run","id":', "[1, 2]", '{"type":"dance","id":"9"}'):
        worker.send_line(line)
        expect_refused(worker.read(), "BadRequest", f"the line {line}")
    worker.send_line(json.dumps({"type": "describe", "id": "line\nbreak", "parameters": {}}))
    reply = worker.read()
    seen = f"parameters that are empty were answered with {str(reply)[:300]}"
    expect((reply["type"], reply.get("id")) == ("refused", "line\nbreak"), seen)
    healthy()


def check_end(worker: Worker) -> None:
    """The end of its stdin ends the worker, with the exit code 0."""
    code = worker.close()
    expect(code == 0, f"it ended with the exit code {code} when its stdin ended")


def check_samples(samples: Array, phases: Json, encrypts: Array, repetitions: int, keygens: int) -> None:
    """Every operation of every repetition has a sample [cpu, wall]; those of a phase add up to it."""
    wanted = (repetitions, len(encrypts), 2)
    expect(samples.shape == wanted, f"samples have the shape {samples.shape}, not {wanted}")
    expect(bool((samples >= 0).all() and (samples[..., 1] > 0).any()), "samples are below 0, or all are 0")
    counts = {"keygen": keygens, "encrypt": repetitions, "evaluate": repetitions, "decrypt": repetitions}
    for name, count in counts.items():
        shape = np.array(phases.get(name, ())).shape
        expect(shape == (count, 2), f"the phase {name} has samples of shape {shape}, not {(count, 2)}")
    for name, chosen in (("encrypt", encrypts), ("evaluate", ~encrypts)):
        summed = samples[:, chosen].sum(axis=1)
        right = np.allclose(phases[name], summed, rtol=1e-3, atol=1e-6)
        expect(right, f"the phase {name} took {phases[name]}, but its operations {summed.tolist()}")


def check_progress(progress: list[Json], total: int) -> None:
    """Progress of the run is told up to its end."""
    done = [int(p["done"]) for p in progress if p.get("phase") == "run"]
    expect(bool(done) and done == sorted(set(done)) and done[-1] == total, f"progress was {done} of {total}")


def check_memory(memory: Json) -> None:
    """Resident bytes grow from the start to the peak, as far as they are told."""
    base, keys, peak = (memory.get(f"{name}_bytes") for name in ("baseline", "keys", "peak"))
    told = [count for count in (base, keys, peak) if count is not None]
    expect(all(isinstance(x, int) and x > 0 for x in told), f"memory is {memory}")
    if base is not None and peak is not None:
        expect(base <= peak, f"the peak of {peak:,} bytes lies below the {base:,} after start-up")
