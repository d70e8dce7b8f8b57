"""An application as a list of steps, and as the Python file that a user would write."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fheasible.aliases import Json
from fheasible.store.rows import plain
from fheasible.trial.draw import Draw

_COUNTER = re.compile(r"\bk\b")
_PLACE = re.compile(r"\{(\d)\}")


@dataclass(frozen=True, slots=True)
class Declared:
    """An encrypted input. `modulo`: the modulus of integers that wrap around, which have no ends."""

    name: str
    real: bool
    length: int
    low: float
    high: float
    modulo: int | None = None

    @property
    def text(self) -> str:
        if self.modulo is not None:
            return f"fh.integers({self.length}, modulo={self.modulo})"
        kind = "reals" if self.real else "integers"
        return f"fh.{kind}({self.length}, low={self.low!r}, high={self.high!r})"


@dataclass(frozen=True, slots=True)
class AppStep:
    """A statement `out = text`, where {0}, {1}, ... in the text stand for the values that `args` names.

    `times` > 1 makes a loop: the text is computed that many times, {0} is the result of the turn before, and
    k is the number of the turn.
    """

    out: str
    text: str
    args: tuple[str, ...]
    times: int = 1

    @property
    def expression(self) -> str:
        return self.text.format(*self.args)

    def lines(self) -> Iterator[str]:
        if self.times == 1:
            yield f"{self.out} = {self.expression}"
            return
        yield f"{self.out} = {self.args[0]}"
        yield f"for {'k' if _COUNTER.search(self.text) else '_'} in range({self.times}):"
        yield f"    {self.out} = {self.text.format(self.out, *self.args[1:])}"


@dataclass(frozen=True, slots=True)
class Given:
    """The values of the inputs. `kind`: "drawn" (by the tool itself, with that seed) or one of `DATA`."""

    kind: str = "drawn"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Application:
    """An application with its inputs, steps, outputs, wish and data.

    `wish` has the command line's options without their dashes, for example {"precision": "15"}; True stands
    for a flag. `nested`: a value that is used once is written where it is used. `named`: the result is a
    dict.
    """

    name: str
    about: str
    inputs: tuple[Declared, ...]
    steps: tuple[AppStep, ...]
    outputs: tuple[str, ...]
    minimise_depth: bool = True
    wish: Mapping[str, Any] = field(default_factory=dict)
    data: Given = Given()
    nested: bool = False
    named: bool = False

    @property
    def source(self) -> str:
        """The text of the Python file."""
        steps = inlined(self.steps, self.outputs) if self.nested else self.steps
        least = [] if self.minimise_depth else ["minimise_depth=False"]
        declared = ", ".join([*least, *(f"{i.name}={i.text}" for i in self.inputs)])
        body = [line for step in steps for line in step.lines()]
        imports = ["import numpy as np", *(["import scipy.sparse"] if "scipy" in "".join(body) else [])]
        head = [f'"""{self.about}"""', "", *imports, "", "import fheasible as fh", "", ""]
        made = [f"@fh.app({declared})", f"def {self.name}({', '.join(i.name for i in self.inputs)}):"]
        return "\n".join([*head, *made, *(f"    {line}" for line in body), f"    {self._result}", ""])

    @property
    def _result(self) -> str:
        if self.named:
            return "return {" + ", ".join(f'"{name}": {name}' for name in self.outputs) + "}"
        return f"return {', '.join(self.outputs)}"

    @property
    def options(self) -> list[str]:
        """The wish and the data as command-line words. Data that are not drawn are in `NAME.csv`."""
        words = []
        for name, value in self.wish.items():
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        if self.data.kind != "drawn":
            return [*words, "--data", f"{self.name}.csv"]
        return [*words, "--seed", str(self.data.seed)] if self.data.seed else words

    @property
    def operations(self) -> int:
        return sum(step.times for step in self.steps)

    @property
    def discrete(self) -> bool:
        """Whether all inputs are integers that do not wrap around."""
        return all(not i.real and i.modulo is None for i in self.inputs)

    def to_json(self) -> Json:
        found: Json = plain(asdict(self))
        return found

    @staticmethod
    def from_json(stored: Json) -> "Application":
        own = dict(stored)
        own["inputs"] = tuple(Declared(**i) for i in stored["inputs"])
        own["steps"] = tuple(AppStep(**s | {"args": tuple(s["args"])}) for s in stored["steps"])
        own["outputs"] = tuple(stored["outputs"])
        own["data"] = Given(**stored["data"])
        return Application(**own)


def trimmed(app: Application) -> Application:
    """The application without the steps and inputs that no output needs."""
    needed, kept = set(app.outputs), []
    for step in reversed(app.steps):
        if step.out in needed:
            needed |= set(step.args)
            kept.append(step)
    inputs = tuple(i for i in app.inputs if i.name in needed)
    return replace(app, steps=tuple(reversed(kept)), inputs=inputs)


def inlined(steps: Sequence[AppStep], outputs: Sequence[str]) -> list[AppStep]:
    """The steps, where each value that is used once, outside of loops, is written in the place of its use."""
    uses = Counter(outputs)
    for step in steps:
        uses.update(step.args[int(i)] for i in _PLACE.findall(step.text))
        uses.update(step.args if step.times > 1 else ())
    once = {s.out for s in steps if uses[s.out] == 1 and s.times == 1} - set(outputs)
    texts: dict[str, str] = {}
    kept = []
    for step in steps:
        found = replace(step, args=tuple(texts.get(a, a) for a in step.args))
        if step.out in once:
            texts[step.out] = f"({found.expression})"
        else:
            kept.append(found)
    return kept


DATA = ("uniform", "corners", "low", "high", "middle", "rare")
"""How the values of inputs are drawn: anywhere in the range; at its ends, in its middle and at 0; all at the
lower end, at the upper end or in the middle; all but a few at 0 or at the end nearest to it."""


def values_of(app: Application) -> dict[str, list[float]] | None:
    """The values of each input; None where the tool draws them itself."""
    if app.data.kind == "drawn":
        return None
    draw = Draw(f"{app.data.kind} {app.data.seed}")
    return {i.name: [_value(i, app.data.kind, draw) for _ in range(i.length)] for i in app.inputs}


def _value(i: Declared, kind: str, draw: Draw) -> float:
    low, high = _ends(i)
    rest = min(max(low, 0), high)
    if kind == "rare" and not draw.chance(0.05):
        return rest
    if kind in ("low", "high"):
        return low if kind == "low" else high
    if kind == "middle":
        return (low + high) / 2 if i.real else (low + high) // 2
    if kind == "corners" and draw.chance(0.9):
        return draw.one((low, high, low, high, rest))
    return low + (high - low) * draw.share() if i.real else draw.whole(int(low), int(high))


def _ends(i: Declared) -> tuple[float, float]:
    """The lowest and highest value of an input; with a modulus, the residues nearest to half of it."""
    if i.modulo is None:
        return i.low, i.high
    return -((i.modulo - 1) // 2), i.modulo // 2
