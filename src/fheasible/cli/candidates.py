"""Candidates as a table, with a headline over it and the next commands under it."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.table import Table

from fheasible import units
from fheasible.circuit.balance import normalise
from fheasible.circuit.depth import depth
from fheasible.circuit.node import Input, Kind
from fheasible.cli.names import title
from fheasible.cli.tables import table
from fheasible.exploration.candidate import Candidate

if TYPE_CHECKING:
    from fheasible.exploration.search import Exploration

ROWS = 8
_COLUMNS = (
    "  library", "scheme", "N", "log QP", "time", "memory", "ciphertext", "precision", "security", "settings"
)  # fmt: skip
_FOLLOWS = ("depth", "security", "plain_modulus")  # from the application and --security
_USUAL_SECRET = ("secret", "uniform_ternary")
_COMMAND_WIDTH = 98


def headline(found: "Exploration") -> Iterator[str]:
    """What is computed on what, what was asked, how much was tried, and which data that holds for."""
    circuit, wish = found.problem.circuit, found.wish
    results = units.listing([_vector(n.length, n.kind) for _, n in circuit.outputs])
    deep = _depth(found)
    yield f"{circuit.name}: {units.listing(list(_inputs(circuit.inputs)))} -> {results}; {deep}"
    asked = f"asked: security >= {wish.security} bits{' (quantum)' if wish.quantum else ''}"
    if found.problem.real:
        asked += f", {wish.least}"
    yield asked + _limits(found)
    schemes = {scheme for _, scheme in _explored(found)}
    libraries = {library for library, _ in _explored(found)}
    yield (
        f"explored {found.explored:,} parameter sets of {_count(len(schemes), 'scheme')} in "
        f"{_count(len(libraries), 'library', 'libraries')} in {units.seconds(found.seconds)}; "
        f"{len(found.candidates):,} {'is' if len(found.candidates) == 1 else 'are'} feasible"
    )
    yield f"judged on: {found.problem.source}"


def _depth(found: "Exploration") -> str:
    """Of the best candidate's program; of the circuit itself where there is none."""
    if found.best:
        return f"depth {found.best.request.depth} in {found.best.scheme.upper()}"
    scheme = "ckks" if found.problem.real else "bgv"
    return f"depth {depth(normalise(found.problem.circuit), scheme)} in {scheme.upper()}"


def _explored(found: "Exploration") -> set[tuple[str, str]]:
    return {(c.library, c.scheme) for c in found.candidates} | {(r.library, r.scheme) for r in found.rejected}


def _limits(found: "Exploration") -> str:
    wish = found.wish
    limits = ""
    if wish.max_seconds is not None:
        limits += f", time <= {units.seconds(wish.max_seconds)}"
    if wish.max_bytes is not None:
        limits += f", memory <= {units.size(wish.max_bytes)}"
    return f"{limits}; least {wish.objective} first"


def _inputs(inputs: Sequence[Input]) -> Iterator[str]:
    """Inputs that are declared alike stand together: 'x, y and z: 10 encrypted reals in [0, 1] each'."""
    for (length, kind, low, high), alike in groupby(inputs, lambda i: (i.length, i.kind, i.low, i.high)):
        names = [i.name for i in alike]
        each = " each" if len(names) > 1 else ""
        said = f"{_vector(length, kind, 'encrypted ')} in [{low:g}, {high:g}]{each}"
        yield said if len(inputs) == 1 else f"{units.listing(names)}: {said}"


def _vector(length: int, kind: Kind, what: str = "") -> str:
    return _count(length, what + ("real" if kind is Kind.REAL else "integer"))


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(found: "Exploration", show_all: bool) -> Iterator[Table | str]:
    """The table, the best with a star, and how many are not shown."""
    shown = found.candidates if show_all else diverse(found.candidates)
    degrees = len({c.degrees for c in shown}) > 1
    rows = [row(c, "* " if c is found.best else "  ", degrees) for c in shown]
    yield table(_COLUMNS, rows, left=("  library", "scheme", "N", "settings"), gap=1)
    rest = len(found.candidates) - len(shown)
    if rest:
        yield f"  ... and {rest:,} more: --all"


def diverse(candidates: Sequence[Candidate], most: int = ROWS) -> list[Candidate]:
    """The best of each (library, scheme, technique, N), in order."""
    found: dict[tuple[str, str, str, int], Candidate] = {}
    for c in candidates:
        found.setdefault((c.library, c.scheme, c.parameters.technique, c.parameters.ring_dimension), c)
    return list(found.values())[:most]


def row(c: Candidate, mark: str, degrees: bool) -> tuple[str, ...]:
    """`degrees`: whether those of approximations tell candidates apart."""
    e, p = c.estimate, c.parameters
    return (
        mark + title(c.library),
        c.scheme.upper(),
        units.power_of_two(p.ring_dimension),
        f"{p.log_qp:.0f}",
        units.seconds(e.cpu_seconds["total"]) if e.cpu_seconds else units.ABSENT,
        units.size(e.peak_bytes),
        units.size(e.sizes.ciphertext_bytes),
        "exact" if c.scheme != "ckks" else units.bits(e.precision_bits),
        f"{e.security_bits:.0f} bit",
        settings(c, degrees),
    )


def settings(c: Candidate, degrees: bool = False) -> str:
    """What tells it from its neighbours, in few words: '2^44 flexibleauto', 't 20 bit, 3 primes'."""
    p = c.parameters
    if c.scheme == "ckks":
        degree = f"degree {', '.join(map(str, c.degrees))}" if degrees else ""
        return " ".join(word for word in (f"2^{c.request.scale_bits}", p.technique, degree) if word)
    return p.technique or f"t {(p.plain_modulus or 0).bit_length()} bit, {_count(p.limbs, 'prime')}"


def command(app: str, c: Candidate) -> list[str]:
    """The call that runs just this candidate, in lines that a shell takes as one."""
    words = [f"fheasible run {app}", f"--library {c.library}", f"--scheme {c.scheme}"]
    if c.request.security not in (None, 128):
        words.append(f"--security {c.request.security}")
    given = {k: v for k, v in c.settings.items() if k not in _FOLLOWS}
    words += [f"--param {name}={_value(v)}" for name, v in given.items() if (name, v) != _USUAL_SECRET]
    return wrapped(words)


def wrapped(words: Sequence[str]) -> list[str]:
    """A call in lines of a terminal's width that a shell takes as one."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > _COMMAND_WIDTH:
            lines[-1] += " \\"
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {word}"
    return lines


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def next_steps(app: str, found: "Exploration") -> Iterator[str]:
    if found.best is None:
        return
    yield ""
    yield "run it:"
    yield from (f"  {line}" for line in command(app, found.best))
