"""What the texts of all sweeps share: the first rows of a table as wide as a terminal."""

from collections.abc import Iterator, Sequence

from fheasible.api.layout import WIDTH, Listing, Part

MOST_ROWS = 30


def sets(count: int) -> str:
    """A number of sets in words: '1 set', '21 sets'."""
    return f"{count:,} set{'' if count == 1 else 's'}"


def fitted(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    least_first: Sequence[str],
    left: Sequence[str] = (),
    width: int = WIDTH,
) -> Iterator[Part]:
    """The table, and a line that names the columns that it does without where not all fit beside each other:
    those of `least_first`, in that order. Nothing where there are no rows."""
    if not rows:
        return
    widths = {name: max(map(len, (name, *(row[i] for row in rows)))) + 2 for i, name in enumerate(columns)}
    dropped: list[str] = []
    for name in (name for name in least_first if name in columns):
        if sum(w for kept, w in widths.items() if kept not in dropped) <= width + 2:
            break
        dropped.append(name)
    kept = [i for i, name in enumerate(columns) if name not in dropped]
    yield Listing([columns[i] for i in kept], [[row[i] for i in kept] for row in rows], left)
    if dropped:
        yield f"no room for: {', '.join(dropped)} (--json has them)"


def more(shown: int, count: int) -> Iterator[str]:
    """A line that says how many sets the table does not show, and where they are."""
    if not shown and count:
        yield f"{sets(count)}, of which none can be shown; the reasons follow"
    elif shown < count:
        yield f"... {count - shown:,} more: --csv or --out FILE, or --json"
