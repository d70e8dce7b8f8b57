"""What the page of an exploration of libraries is made from: their stored profiles, runs and campaigns."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from fheasible.api.platform import Reported
from fheasible.estimation.profile import Profile
from fheasible.libraries.catalogue import BY_NAME
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store

if TYPE_CHECKING:
    from fheasible.accuracy.evaluation import Evaluation


def report(stored: StoredExploration, store: Store) -> Reported:
    """The page of the exploration: what was stored with it, later runs, and the accuracy of its profiles."""
    from fheasible.reports import explored_page  # which loads the drawing of figures

    measured = store.measurements(stored.explored.app, outcome="measured")
    runs = [run for run in measured if run.environment.get("memory_limit") is None]  # as it is predicted
    profiles = _profiles(store, stored)
    made = explored_page.report(stored, runs, profiles, _accuracy(store, stored, profiles))
    return Reported(stored, len(made.sets), made.told.best, explored_page.render(made), made.drawings)


def _profiles(store: Store, stored: StoredExploration) -> Mapping[str, Profile]:
    """The profiles by which the exploration ranked, as far as they are stored; shipped ones are not."""
    found = {}
    for library, told in stored.explored.content["profiles"].items():
        for row in store.profiles(told["machine"], library, told["version"], told["threads"]):
            if row.content.get("created") == told["created"] and (kept := Profile.from_json(row.content)):
                found[library] = kept
                break
    return found


def _accuracy(
    store: Store, explored: StoredExploration, profiles: Mapping[str, Profile]
) -> "Evaluation | None":
    """What campaigns on this machine have found about those profiles, in the schemes that the answer has;
    None where there were none."""
    from fheasible.accuracy.campaign import stored
    from fheasible.accuracy.evaluation import evaluate

    schemes: dict[str, dict[str, None]] = {name: {} for name in profiles}
    for c in explored.explored.content["candidates"]:
        schemes.get(c["library"], {})[c["scheme"]] = None
    libraries = [replace(BY_NAME[name], schemes=tuple(of)) for name, of in schemes.items()]
    single, whole = (stored(kind, store, libraries) for kind in ("operations", "applications"))
    return evaluate(single, whole, profiles) if single or whole else None
