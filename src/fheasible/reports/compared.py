"""The best sets of libraries or schemes beside each other, the recommended one first."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fheasible import units
from fheasible.aliases import Json
from fheasible.reports.figures import Mark, MarkedRows, Marks


@dataclass(frozen=True, slots=True)
class Best:
    """The best set of one library or scheme. `kind` is what its colour stands for, `value` what is compared,
    `words` what is said of it beside its bar, the value first."""

    kind: str
    name: str
    value: float
    words: str


def firsts(candidates: Iterable[Json], kind: Callable[[Json], object]) -> list[Json]:
    """The first candidate of each kind, in their order."""
    found: dict[object, Json] = {}
    for c in candidates:
        found.setdefault(kind(c), c)
    return list(found.values())


def compared(
    best: Sequence[Best], what: str, label: str, note: str, refused: bool = True
) -> MarkedRows | None:
    """A bar for each of them; None where there is nothing to compare. `what`: the name of what is compared;
    `label`: that of its axis. `refused`: whether there were others, none of which does what was asked."""
    if not best or (len(best) == 1 and not refused):
        return None
    kinds = dict.fromkeys(one.kind for one in best)
    return MarkedRows(
        _title(best, what),
        label,
        tuple(one.name for one in best),
        tuple(
            Marks(kind, tuple(one.value if one.kind == kind else None for one in best), Mark.BAR)
            for kind in kinds
        ),
        words=tuple(one.words for one in best),
        note=note,
        keyed=False,
    )


def _title(best: Sequence[Best], what: str) -> str:
    first, *others = best
    name = first.name.partition(",")[0]
    ratios = [one.value / first.value for one in others if first.value]
    if not ratios:
        return f"Only {name} does what was asked"
    if not min(ratios) > 1:  # another figure than this one decided
        return f"{name} is recommended; its {what} beside the others'"
    between = units.listing(list(dict.fromkeys(f"{ratio:.2f}" for ratio in (min(ratios), max(ratios)))), "to")
    who = "the other takes" if len(ratios) == 1 else "the others take"
    return f"{name} is recommended; {who} {between} times its {what}"
