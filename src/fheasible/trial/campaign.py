"""A trial from its first application to its last; each is stored once it is done, and is not done again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fheasible.measurement.environment import commit, observe
from fheasible.store.store import Store
from fheasible.trial.application import Application
from fheasible.trial.found import Fault, TrialOutcome
from fheasible.trial.generator import VERSION, application
from fheasible.trial.runner import Scope, tried
from fheasible.trial.shrinker import shrunk
from fheasible.trial.workers import Workers

Report = Callable[[str, int, int], None]  # what is being done, applications done, and all applications


def key(seed: int, scope: Scope) -> str:
    """The name of a trial, which is equal for trials that may share results.

    It has the seed, the generator's version, what is run, and the commit of Fheasible.
    """
    libraries = ",".join(sorted((*scope.libraries, *scope.lookups))) or "all"
    told = (
        f"seed {seed}",
        f"generator {VERSION}",
        libraries,
        scope.scheme or "all",
        f"{scope.runners_up} more",
    )
    limits = (f"{scope.most_seconds:g} s", f"{scope.most_bytes / 2**20:.0f} MiB", f"doubts {scope.doubts}")
    return "; ".join((*told, *limits, commit() or "no commit"))


def trial(
    seed: int,
    numbers: Sequence[int],
    scope: Scope,
    store: Store,
    report: Report = lambda *_: None,
    shrink_seconds: float = 0.0,
    anew: bool = False,
) -> Iterator[TrialOutcome]:
    """The outcome of each application, as soon as it is known.

    Failing applications are shrunk, for at most `shrink_seconds` each.
    """
    name = key(seed, scope)
    known = {} if anew else {row.number: row.content for row in store.trials(name)}
    with Workers() as workers:
        for done, number in enumerate(numbers):
            if number in known:
                yield TrialOutcome.from_json(known[number])
                continue

            def said(what: str, done: int = done, number: int = number) -> None:
                report(f"application {number}: {what}", done, len(numbers))

            found = outcome(application(seed, number), number, scope, workers, shrink_seconds, said)
            store.add_trial(name, number, found.to_json(), observe("trial", 1, seed).to_json())
            yield found


def outcome(
    app: Application,
    number: int,
    scope: Scope,
    workers: Workers,
    seconds: float,
    said: Callable[[str], None] = lambda _: None,
) -> TrialOutcome:
    """The outcome of one application, shrunk for at most `seconds` where it fails."""
    found = tried(app, number, scope, workers, said)
    if not found.faults or not seconds:
        return found
    said("shrinking")
    return replace(found, shrunk=smallest(app, found.faults[0], number, scope, workers, seconds).to_json())


def smallest(
    app: Application, fault: Fault, number: int, scope: Scope, workers: Workers, seconds: float
) -> Application:
    """The smallest application with that fault, tried on the fault's library and scheme alone."""
    alone = scope
    if fault.library:
        alone = replace(scope, libraries=(fault.library,), scheme=fault.scheme)

    def fails(simpler: Application) -> bool:
        return any(f.like(fault) for f in tried(simpler, number, alone, workers).faults)

    return shrunk(app, fails, seconds)
