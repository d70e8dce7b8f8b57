"""fh.explore: what could run an application, best first, and why. Nothing is executed."""

from collections.abc import Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from fheasible.api import asking
from fheasible.api.answer import Answer
from fheasible.api.keywords import told_in_python
from fheasible.calibration.profiles import at_hand
from fheasible.circuit.trace import App
from fheasible.exploration.everywhere import explore_everywhere
from fheasible.exploration.failed import without_failed
from fheasible.exploration.problem import Problem
from fheasible.exploration.search import Exploration
from fheasible.exploration.search import explore as search
from fheasible.exploration.wish import Wish
from fheasible.heap import collected_rarely
from fheasible.store.store import Store


@told_in_python()
@collected_rarely()
def explore(
    app: App | str | Path,
    security: int = 128,
    precision: asking.Precision = None,
    data: asking.Data = None,
    libraries: str | Sequence[str] | None = None,
    objective: str = "time",
    *,
    scheme: str | None = None,
    quantum: bool = False,
    failure: float | None = None,
    shared_results: bool = False,
    worst_case: bool = False,
    trust_data: bool = False,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    max_ciphertext_bytes: int | None = None,
    max_key_bytes: int | None = None,
    requests: int = 1,
    price_core_hour: float | None = None,
    price_gib: float | None = None,
    seed: int = 0,
    everything: bool = False,
    store: str | Path | None = None,
) -> Answer:
    """The answer of `fheasible explore`: parameter sets, best first, with the reasons.

    `app`: an application, or a file as "app.py:name". `precision`: bits, "mean:15", "absolute:1e-4" or
    "relative:1e-3". `data`: a file, or a vector for each input by name; random data of that `seed` by
    default. `trust_data`: no inputs will be larger than these data. `worst_case`: the precision must hold for
    every input in the declared ranges, by the worst inputs that are found. `objective`: "time", "memory",
    "communication", "amortised", "cost", or a mix as "time:0.7,memory:0.3"; `requests` are served under one
    key set, and prices count in the cost. `everything`: walk the whole space, not only as far as the answer
    needs. `store`: where this machine's profiles are; the command line's store by default.

    Where nothing fits, the answer has `best` None. Errors are FheasibleErrors, with a remedy.
    """
    wish = asking.wish_of(
        precision,
        security=security,
        quantum=quantum,
        max_seconds=max_seconds,
        max_bytes=max_bytes,
        objective=objective,
        failure=failure,
        shared_results=shared_results,
        worst_case=worst_case,
        max_ciphertext_bytes=max_ciphertext_bytes,
        max_key_bytes=max_key_bytes,
        requests=requests,
        price_core_hour=price_core_hour,
        price_gib=price_gib,
    )
    asking.check("everything", everything)
    chosen = asking.libraries_of(libraries, scheme)
    problem = asking.problem_of(app, data, seed, trust_data)
    one_thread = threadpool_limits(limits=1, user_api="blas")  # `fheasible_start` says why
    with one_thread, Store.open(store, reading=True) as kept:
        profiles = at_hand(kept, [lib.name for lib in chosen])

        def searched(of: Problem, asked: Wish) -> Exploration:
            return search(of, asked, chosen, profiles, every=everything)

        found = without_failed(explore_everywhere(problem, wish, searched), kept)
    return Answer(found, chosen, profiles, asking.name_of(app), None if data is not None else seed, store)
