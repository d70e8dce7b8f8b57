"""What is said of the security of parameter sets: every attack, the published tables, and advice."""

from collections.abc import Iterator, Sequence

from fheasible.aliases import Json
from fheasible.api.layout import WIDTH, Listing, Part, paragraph
from fheasible.api.naming import title
from fheasible.units import ABSENT, bits, number, power_of_two, seconds

_MOST_ROWS = 30


def one(document: Json, width: int = WIDTH) -> Iterator[Part]:
    """Of one set: every attack, what each table says, and advice."""
    yield paragraph(*_headline(document), width)
    yield ""
    columns = ("attack", "security", "block size", "dimension", "guessed", "memory")
    yield Listing(columns, [_attack(*item) for item in _ranked(document)], left=("attack",))
    yield ""
    yield _tables(document)
    yield ""
    yield from (
        paragraph("in plain words:" if not i else "-", line, width)
        for i, line in enumerate(document["advice"])
    )
    yield from (paragraph("warning:", line, width) for line in document["warnings"])


def keys(judged: Json, width: int = WIDTH) -> Iterator[Part]:
    """Both secrets with all attacks on them, and which of them decides."""
    names = [role for role, found in judged["keys"].items() for _ in found["attacks"]]
    attacks = [_attack(*item) for found in judged["keys"].values() for item in _ranked(found)]
    for role, found in judged["keys"].items():
        yield paragraph(f"{role} secret:", _headline(found)[1], width)
    yield ""
    columns = ("secret", "attack", "security", "block size", "dimension", "guessed", "memory")
    rows = [(role, *attack) for role, attack in zip(names, attacks, strict=True)]
    yield Listing(columns, rows, left=("secret", "attack"))
    yield ""
    yield paragraph("in plain words:", f"{judged['verdict']}.", width)
    yield from (paragraph("warning:", line, width) for line in judged["warnings"])


def _ranked(document: Json) -> list[tuple[str, Json]]:
    """The attacks of a document, the cheapest first."""
    return sorted(document["attacks"].items(), key=lambda item: item[1]["bits"] or float("inf"))


def _headline(d: Json) -> tuple[str, str]:
    attackers = "quantum" if d["quantum"] else "classical"
    errors = "" if d["problem"] == "ntru" else f", errors of width {d['sigma']:g}"
    return (
        f"{d['problem'].upper()},",
        f"n = {power_of_two(d['n'])}, log2 q = {d['log_q']:g}, {d['secret']} secret"
        f"{errors}: {d['bits']:.1f} bits ({d['attack']}, cost model {d['model']}, {attackers} attackers)",
    )


def _attack(name: str, found: Json) -> tuple[str, ...]:
    if found["bits"] is None:
        return (name, "does not apply", ABSENT, ABSENT, ABSENT, ABSENT)
    memory = ABSENT if found["memory_bits"] is None else f"2^{found['memory_bits']:.0f}"
    counts = (number(found[key]) for key in ("block_size", "dimension", "guessed"))
    return (name, bits(found["bits"]), *counts, memory)


def _tables(document: Json) -> Listing:
    """A table of what each published table allows at that n, and what it says of the set."""
    rows = []
    for name, limits in document["limits"].items():
        allowed = [ABSENT if limit is None else f"{limit:g}" for limit in limits.values()]
        level = document["library_bits"].get(name, document["standard_bits"])
        known = any(limit is not None for limit in limits.values())
        verdict = f"{level} bits" if level else "less than 128 bits" if known else "has no row for this"
        rows.append((_name(name), *allowed, verdict))
    levels = (f"log2 q for {level}" for level in document["limits"]["guidelines_2024"])
    columns = ("table of", *levels, "says")
    return Listing(columns, rows, left=("table of", "says"))


def _name(table: str) -> str:
    return "Security Guidelines 2024" if table == "guidelines_2024" else title(table)


def many(told: Json, model: str, width: int = WIDTH) -> Iterator[Part]:
    """Of several sets: a row for each. `model`: the cost model of lattice reduction."""
    rows = told["sets"]
    libraries = list(rows[0]["library_bits"])
    columns = ("n", "log2 q", "secret", "security", "attack", "block size", "2024", *map(title, libraries))
    shown = [_row(row, libraries) for row in rows[:_MOST_ROWS]]
    yield Listing(columns, shown, left=("n", "secret", "attack"))
    if len(rows) > _MOST_ROWS:
        yield f"... {len(rows) - _MOST_ROWS:,} more: --csv FILE, or --json"
    yield ""
    meaning = "the level by the Security Guidelines of 2024; other columns: that by the library's own table"
    yield paragraph("2024:", meaning, width)
    yield f"cost model {model}; log2 q always means the whole modulus QP"
    yield from (f"drawn: {path}" for path in told["figures"])
    rate = len(rows) / told["seconds"]
    yield f"{len(rows):,} sets in {seconds(told['seconds'])} ({rate:,.0f} per second)"


def _row(row: Json, libraries: Sequence[str]) -> tuple[str, ...]:
    levels = (row["standard_bits"], *(row["library_bits"][name] for name in libraries))
    return (
        power_of_two(row["n"]),
        f"{row['log_q']:.5g}",
        row["secret"],
        bits(row["bits"]),
        row["attack"],
        number(row["block_size"]),
        *(ABSENT if level is None else f"{level}" for level in levels),
    )
