"""The sections of an exploration's page: figures, each with its table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fheasible import units
from fheasible.accuracy.errors import errors, grouped
from fheasible.accuracy.evaluation import Evaluation
from fheasible.accuracy.words import share, title
from fheasible.aliases import Json
from fheasible.estimation.profile import Profile
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.program.phases import PHASES_AND_TOTAL
from fheasible.reports import explored_figures, explored_resident, explored_runs
from fheasible.reports.accuracy import errors_table
from fheasible.reports.explored import Told, seconds
from fheasible.reports.page import Block, Folded, Section, Table
from fheasible.store.rows import StoredExploration, StoredMeasurement


def time(told: Told) -> Section:
    drawn = explored_figures.times(told)
    if not drawn:
        return Section(
            "Where the time goes", ("Times are unknown without a profile. Remedy: fheasible calibrate",)
        )
    phases = [_phases(told, t) for t in told.details["time"]]
    columns = ("set", *PHASES_AND_TOTAL)
    table = Table(
        columns,
        tuple(phases),
        left=("set",),
        caption="CPU time by phase; the total does not include key generation",
    )
    by_operation, by_kernel = drawn
    return Section(
        "Where the time goes",
        (
            by_operation,
            Folded("By phase, as a table", table),
            *_by_operation(told),
            Folded("By kernel, as a figure", by_kernel),
        ),
    )


def _phases(told: Told, taken: Json) -> tuple[str, ...]:
    c = told.candidates[taken["candidate"]]
    spent = (units.seconds(seconds(c, phase)) for phase in PHASES_AND_TOTAL)
    return told.name(taken["candidate"]), *spent


def _by_operation(told: Told) -> list[Block]:
    """The values of the drawn bars as tables."""
    taken = told.details["time"]
    found: list[Block] = []
    for what, at in (("operation", 1), ("kernel", 2)):
        each = [explored_figures.parts_of(t, at) for t in taken]
        rows = tuple(
            (name, *(units.seconds(one.get(name)) for one in each))
            for name in explored_figures.most_first(each)
        )
        columns = (what, *(told.name(t["candidate"]) for t in taken))
        left: tuple[str, ...] = (what,)
        if what == "kernel":
            columns, left = (what, "meaning", *columns[1:]), (what, "meaning")
            rows = tuple((row[0], explored_figures.is_what(row[0]), *row[1:]) for row in rows)
        found.append(Folded(f"By {what}, as a table", Table(columns, rows, left=left)))
    return found


def memory(told: Told) -> Section | None:
    drawn = explored_figures.memory(told)
    if drawn is None:
        return None
    names = ("baseline", "context", "keys", "peak")
    rows = tuple(
        (told.name(t["candidate"]), *(units.size(t[f"{name}_bytes"]) for name in names), _at_peak(t))
        for t in told.details["memory"]
    )
    columns = ("set", "bare process", "with context", "with keys", "peak", "peak during")
    table = Table(
        columns,
        rows,
        left=("set", "peak during"),
        caption="Resident memory; each column includes those before it",
    )
    return Section("Memory over time", (drawn, Folded("As a table", table)))


def _at_peak(t: Json) -> str:
    """What is running when the most memory is held."""
    most = max(range(len(t["operations"])), key=t["operations"].__getitem__)
    if t["operations"][most] < t["peak_bytes"]:
        return "key generation"
    return f"{t['actions'][most].replace('_', ' ')} ({most + 1} of {len(t['operations'])})"


def scales(told: Told) -> list[Section]:
    bits, rings = explored_figures.scale_precision(told), explored_figures.scale_rings(told)
    if bits is None or rings is None:
        text = "No CKKS set fits, so there is no scale to choose: integers are exact."
        return [Section("Precision over scale", (text,))]
    table = Folded("As a table", _scale_table(told))
    return [Section("Precision over scale", (bits, table)), Section("Ring dimension over scale", (rings,))]


def _scale_table(told: Told) -> Table:
    rows = [
        (_of(told, c), str(scale), units.power_of_two(n), f"{qp:.0f}", units.bits(bits), units.bits(relied))
        for c in told.details["scales"]
        for scale, n, qp, bits, relied in zip(
            c["scale_bits"],
            c["ring_dimension"],
            c["log_qp"],
            c["precision_bits"],
            c["assured_bits"],
            strict=True,
        )
    ]
    return Table(("setting", "scale", "N", "log2 QP", "expected", "assured"), tuple(rows), left=("setting",))


def _of(told: Told, curve: Json) -> str:
    c = told.candidates[curve["candidate"]]
    return title(c["library"], c["scheme"], c["parameters"]["technique"] or "")


def measured(told: Told, runs: Sequence[StoredMeasurement]) -> Section:
    heading = "Predicted against measured"
    off = explored_runs.errors_of(runs)
    if not off:
        text = (
            "No run of these programs is stored. fheasible verify, with the options of the exploration, runs "
            "the recommendation and stores the measurement."
        )
        return Section(heading, (text,))
    named = explored_runs.named(runs)
    folded = Folded("Every figure, as a table", explored_runs.table(named))
    return Section(heading, (explored_figures.measured(off), folded))


def resident(told: Told, runs: Sequence[StoredMeasurement]) -> Section | None:
    """The memory of the newest runs over time; None where none was followed."""
    drawn = [explored_resident.of_run(told, *run) for run in explored_runs.named(runs)]
    some = [figure for figure in drawn if figure is not None][: explored_runs.MOST]
    return Section("Memory of the runs over time", tuple(some)) if some else None


def calibration(told: Told, profiles: Mapping[str, Profile]) -> Section:
    columns = ("library", "version", "calibrated", "machine", "error band", "build")
    rows = tuple(
        (title(name), p["version"], p["created"][:16].replace("T", " "), p["origin"] or "this one",
         share(p["error_band"]), p["build"] or None)
        for name, p in told.profiles.items()
    )  # fmt: skip
    blocks: list[Block] = [
        Table(columns, rows, left=("library", "version", "calibrated", "machine", "build"))
    ]
    missing = [
        lib.title for lib in CATALOGUE.values() if told.profiles.get(lib.name, {"origin": "?"})["origin"]
    ]
    if missing:
        blocks.append(
            f"Not calibrated on this machine: {units.listing(missing)}. Remedy: fheasible calibrate"
        )
    drawn = explored_figures.prices(told.profiles)
    blocks += [drawn] if drawn else []
    found = explored_runs.residuals(profiles.values())
    blocks += [found] if found else []
    return Section("Calibration", tuple(blocks), folded=True)


def accuracy(found: Evaluation | None) -> Section | None:
    """How far all stored runs in the answer's schemes are from their predictions, whichever program was
    run."""
    if found is None or not (found.operations or found.applications):
        return None
    blocks: list[Block] = [
        "These are all operations and applications that fheasible accuracy has run on this machine in the "
        "libraries and schemes of this answer. No calibration has seen any of them. Errors are "
        "|predicted - measured| / measured of CPU time."
    ]
    if found.applications:
        groups = {of: errors(rows) for of, rows in grouped(found.applications, "library", "scheme").items()}
        blocks.append(replace(errors_table(groups, ("library", "scheme")), caption="Whole applications"))
    if found.operations:
        table = errors_table(found.by("library", "scheme"), ("library", "scheme"))
        blocks.append(replace(table, caption="Single operations"))
    return Section("Accuracy", tuple(blocks), folded=True)


def environment(stored: StoredExploration) -> Section:
    """The machine and the versions that made the predictions."""
    at = stored.environment
    commit = str(at.get("commit") or "unknown")[:12]
    facts = (
        ("explored", stored.created[:16].replace("T", " ") + " UTC"),
        (
            "Fheasible",
            f"{stored.explored.content['fheasible']}, commit {commit}",
        ),
        ("processor", at.get("cpu")),
        ("cores", str(at.get("cores") or units.ABSENT)),
        ("memory", units.size(at.get("memory_bytes"))),
        ("system", f"{at.get('os')}, kernel {at.get('kernel')}"),
        ("machine", at["machine"]),
        ("circuit", stored.explored.circuit),
        ("number in the store", str(stored.id)),
    )
    return Section("Environment", (Table(("what", "is"), facts, left=("what", "is")),), folded=True)
