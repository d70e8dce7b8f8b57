"""fh.verify and fh.run: really run a set, and compare the run with its prediction."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fheasible.api.answer import Answer
from fheasible.api.asking import check, name_of, typed
from fheasible.api.explore import explore
from fheasible.api.keywords import by_keyword, told_in_python
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.api.lookup_run import PlainLookupRun
from fheasible.api.lookups import Lookups
from fheasible.api.options import options_of
from fheasible.api.parameter_set import parameter_set
from fheasible.api.platform import Execution, Silent
from fheasible.api.platforms import platform_of
from fheasible.api.residue_run import PlainRun
from fheasible.api.residues import Residues
from fheasible.api.ring_answer import RingAnswer
from fheasible.api.ring_run import PlainRingRun
from fheasible.api.rings import Rings
from fheasible.api.verified import Verified, verified
from fheasible.circuit.trace import App
from fheasible.errors import UsageError
from fheasible.measurement.limited.limit import NEEDED, limit_of


@told_in_python()
def verify(
    app: Answer | RingAnswer | LookupAnswer | App | str | Path,
    repetitions: int | None = None,
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

    `repetitions`: three by default, and one where a run is predicted to take 30 seconds or longer.
    `memory_limit`: the run has no more memory, in bytes or as "512MiB", and so much `swap`. With `max_bytes`
    and `swap` in its place, the set is chosen for that memory and swap, and run with them. KilledForMemory
    where a limit is too small, LimitImpossible where there can be none here.

    Example:
        >>> app = fh.app(x=fh.integers(3, low=0, high=9))(lambda x: x * x)
        >>> found = fh.verify(app, libraries="seal", data={"x": [1, 2, 3]})
        >>> found.result["result"]
        array([1, 4, 9])
    """
    _check(repetitions, timeout)
    asked = by_keyword(asked)
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
        return verified(run.proof.candidate, run.proof)
    if isinstance(answer, LookupAnswer):
        looked = Lookups().verify(answer, how, talk)
        return verified(looked.proof.candidate, looked.proof, looked.failures)
    found = Residues().verify(answer, how, talk)
    shown = parameter_set(answer.exploration, found.proof.candidate, answer.called)
    return verified(shown, found.proof, found.failures)


@told_in_python()
def run(
    app: App | str | Path,
    library: str,
    params: Mapping[str, Any] | None = None,
    *,
    composites: bool = False,
    repetitions: int | None = None,
    timeout: float | None = None,
    memory_limit: str | int | None = None,
    swap: str | int | bool | None = None,
    store: str | Path | None = None,
    **asked: Any,
) -> Verified:
    """The run of an application on one library, as `fheasible run` does it, beside its prediction.

    Without `params` it is the best set of that library; with them, those parameters, such as
    `{"scale_bits": 40}`, and the library's defaults for the rest. `asked`: what else `fheasible run` takes,
    such as `precision`, `scheme` and `data`. `composites`: sums and series by the library's own functions.
    The rest is as for `verify`.

    Example:
        >>> app = fh.app(x=fh.integers(3, low=0, high=9))(lambda x: x * x)
        >>> found = fh.run(app, "seal", scheme="bfv", data={"x": [1, 2, 3]})
        >>> found.result["result"]
        array([1, 4, 9])
    """
    _check(repetitions, timeout)
    options = options_of({"library": library, **asked})
    platform = platform_of(options.libraries)
    platform.refuse(options)
    how = Execution(
        repetitions=repetitions,
        timeout=timeout,
        params=typed(params),
        composites=composites,
        memory=limit_of(memory_limit, None if swap is None else _size(swap)),
    )
    ran = platform.run(app, options, how, Silent(store))
    if isinstance(ran, PlainRun):
        called = name_of(app, options.data) or f"{ran.problem.circuit.name}.py"
        return verified(parameter_set(None, ran.proof.candidate, called), ran.proof)
    assert isinstance(ran, PlainLookupRun | PlainRingRun)
    return verified(ran.proof.candidate, ran.proof)


def _check(repetitions: int | None, timeout: float | None) -> None:
    check("timeout", timeout)
    check("repetitions", repetitions)
    if repetitions is not None and repetitions < 1:
        raise UsageError(f"repetitions={repetitions!r} is not a number of runs", "write repetitions=3")


def _size(swap: str | int | bool) -> str | int:
    return NEEDED if swap is True else swap
