"""fh.verify: really run the recommended set, and compare the run with its prediction."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.answer import Answer
from fheasible.api.asking import check
from fheasible.api.explore import explore
from fheasible.api.keywords import told_in_python
from fheasible.api.layout import WIDTH, Column, grid
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.api.lookups import Lookups
from fheasible.api.parameter_set import ParameterSet, parameter_set
from fheasible.api.platform import Execution, Silent
from fheasible.api.residues import Residues
from fheasible.api.ring_answer import RingAnswer
from fheasible.api.rings import Rings
from fheasible.circuit.trace import App
from fheasible.errors import UsageError
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.proof import LookupProof
from fheasible.exploration.proof.proof import Proof
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.proof import RingProof
from fheasible.measurement.limited.limit import NEEDED, limit_of

_SINGLE = (
    "peak_bytes", "ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes",
    "precision_bits",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verified:
    """A real run beside its prediction: figures by name, as "cpu_seconds.evaluate" and "peak_bytes".

    CPU times are the least of the repetitions, wall times their median. `relative_error` is (predicted -
    measured) / measured of each figure that both have. `doubts`: what could have gone wrong, and security
    below what was asked. `failed`: better sets that were refused or wrong when they were run, or whose worker
    did not answer. `slowed`: how many times as long the machine took for a fixed piece of work beside the run
    as it took during calibration; None where that is not known.
    """

    parameters: ParameterSet | RingCandidate | LookupCandidate
    predicted: dict[str, float | None]
    measured: dict[str, float | None]
    relative_error: dict[str, float]
    result: dict[str, NDArray[Any]] = field(repr=False)
    cleartext: dict[str, NDArray[Any]] = field(repr=False)
    number: int | None  # its number in the store
    doubts: tuple[str, ...]
    failed: tuple[str, ...] = ()
    slowed: float | None = None

    def __str__(self) -> str:
        """The figures as text, a line for each."""
        errors = (units.percent(self.relative_error.get(name)) for name in self.measured)
        rows = [
            (name, _said(name, self.predicted[name]), _said(name, value), error, "")
            for (name, value), error in zip(self.measured.items(), errors, strict=True)
        ]
        titles = [Column(title) for title in ("predicted", "measured", "error", "")]
        columns = [Column("figure", left=True), *titles]
        return "\n".join(line for lines in grid(columns, rows, WIDTH) for line in lines)


@told_in_python()
def verify(
    app: Answer | RingAnswer | LookupAnswer | App | str | Path,
    repetitions: int = 3,
    *,
    timeout: float | None = None,
    memory_limit: str | int | None = None,
    swap: str | int | bool | None = None,
    store: str | Path | None = None,
    **asked: Any,
) -> Verified:
    """The run of the best parameter set whose library is installed, stored as the command line stores it.

    `app`: an answer of `explore`, or what `explore` takes, with `asked` as its other arguments. Where a set
    is refused or wrong, the next set of another kind is run; where a worker does not answer, a set of another
    library is run. Raises WrongResult where all sets that are tried fail, LibraryMissing where no library
    that fits is installed and answers, InfeasibleParameters where nothing fits.

    `memory_limit`: the run has no more memory, in bytes or as "512MiB", and so much `swap`. With `max_bytes`
    and `swap` in its place, the set is chosen for that memory and swap, and run with them. KilledForMemory
    where a limit is too small, LimitImpossible where there can be none here.

    Example:
        >>> app = fh.app(x=fh.integers(3, low=0, high=9))(lambda x: x * x)
        >>> found = fh.verify(app, libraries="seal", data={"x": [1, 2, 3]})
        >>> found.result["result"]
        array([1, 4, 9])
    """
    check("timeout", timeout)
    check("repetitions", repetitions)
    if repetitions < 1:
        raise UsageError(f"repetitions={repetitions!r} is not a number of runs", "write repetitions=3")
    if isinstance(app, Answer | RingAnswer | LookupAnswer) and asked:
        raise UsageError(
            f"the answer was already explored with its {', '.join(asked)}",
            "leave the argument out, or give the application instead of its answer",
        )
    chosen_for_it = swap is not None and asked.get("max_bytes") is not None
    limit = limit_of(memory_limit, None if chosen_for_it or swap is None else _size(swap))
    asked |= {"swap": swap} if chosen_for_it else {}
    answer: Answer | RingAnswer | LookupAnswer
    if isinstance(app, Answer | RingAnswer | LookupAnswer):
        answer = app
    else:
        answer = explore(app, store=store, **asked)
    talk = Silent(store if store is not None else answer.place)
    how = Execution(repetitions=repetitions, timeout=timeout, memory=limit)
    if isinstance(answer, RingAnswer):
        run = Rings().verify(answer, how, talk)
        return _verified(run.proof.candidate, run.proof.candidate.to_json()["estimate"], run.proof)
    if isinstance(answer, LookupAnswer):
        looked = Lookups().verify(answer, how, talk)
        c = looked.proof.candidate
        return _verified(
            c, c.estimate.to_json(), looked.proof, looked.proof.slowed, tuple(map(str, looked.failures))
        )
    found = Residues().verify(answer, how, talk)
    chosen = found.proof.candidate
    shown = parameter_set(answer.exploration, chosen, answer.called)
    return _verified(
        shown, chosen.estimate.to_json(), found.proof, found.proof.slowed, tuple(map(str, found.failures))
    )


def _size(swap: str | int | bool) -> str | int:
    return NEEDED if swap is True else swap


def _verified(
    parameters: ParameterSet | RingCandidate | LookupCandidate,
    told: Json,
    proof: Proof | RingProof | LookupProof,
    slowed: float | None = None,
    failed: tuple[str, ...] = (),
) -> Verified:
    """The run beside its prediction, with the figures of both in one form."""
    measured = proof.measured_json()
    predicted: dict[str, float | None] = {}
    found: dict[str, float | None] = {}
    for clock, sample in (("cpu_seconds", "min"), ("wall_seconds", "median")):
        predicted |= {f"{clock}.{phase}": seconds for phase, seconds in told[clock].items()}
        found |= {f"{clock}.{phase}": measured[clock][phase][sample] for phase in told[clock]}
    return Verified(
        parameters=parameters,
        predicted=predicted | {name: told[name] for name in _SINGLE},
        measured=found | {name: measured[name] for name in _SINGLE},
        relative_error=proof.relative_error(),
        result=proof.result,
        cleartext=proof.truth,
        number=proof.number,
        doubts=proof.warnings,
        failed=failed,
        slowed=slowed,
    )


def _said(name: str, value: float | None) -> str:
    """The value as text, in the unit in which the name ends."""
    if "seconds" in name:
        return units.seconds(value)
    return units.size(value) if name.endswith("bytes") else units.bits(value)
