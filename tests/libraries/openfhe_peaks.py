"""The limbs that the wheel of OpenFHE was seen to hold, and programs of operations that were counted.

`openfhe_counts.json` has the most limbs alive during an operation, by request, kind, level, polynomials of
the result, levels dropped and products before it.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from fheasible.libraries.openfhe import rules
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.lowering.hoisting import hoisted
from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

from .memory_oracle import Step

SLOTS = 8
# Their noise decides in how many limbs BFV works after products; all else is as fresh values need it.
BY_DEPTH = ("mul", "rotate", "rotate_hoist", "rotate_hoisted")
TWO_OPERANDS = ("add", "sub", "mul")


class Counted(NamedTuple):
    kind: str
    level: int
    polys: int
    dropped: int
    depth: int


class Wheel(NamedTuple):
    """What was counted for one request; `kept`: the limbs that BFV rotates in, by the products before."""

    p: Parameters
    peaks: dict[Counted, int]
    kept: tuple[int, ...]

    def needed(self, step: Step) -> float:
        level = step.made_limbs - 1 + (step.kind == "rescale")
        dropped = step.limbs - step.made_limbs if step.kind == "drop" else 0
        depth = step.depth if step.kind in BY_DEPTH else 0
        return self.peaks[Counted(step.kind, level, step.made_parts, dropped, depth)]

    def digits(self, step: Step) -> float:
        """Over QP one polynomial for each digit; BV has a digit for each limb, over Q."""
        limbs = self.kept[step.depth] if self.p.scheme == "bfv" else step.limbs
        if self.p.key_switching == "bv":
            return limbs * limbs
        limbs_of_a_digit = -(-self.p.limbs // self.p.digits)
        return -(-limbs // limbs_of_a_digit) * (limbs + len(self.p.p))


@cache
def wheels() -> tuple[Wheel, ...]:
    """One for each request of the table."""
    stored = json.loads(Path(__file__).with_name("openfhe_counts.json").read_text())
    columns = [
        stored["columns"].index(name) for name in ("action", "level", "polys", "dropped", "depth", "peak")
    ]
    rows = [(row[0], [row[i] for i in columns]) for row in stored["rows"]]
    kept = {json.dumps(case["request"]): tuple(case["rotations"]) for case in stored["kept"]}
    return tuple(
        Wheel(
            rules.parameters(request_for(**request, security=None)),
            {Counted(*row[:5]): row[5] for place, row in rows if place == number},
            kept.get(json.dumps(request), ()),
        )
        for number, request in enumerate(stored["requests"])
    )


class Value(NamedTuple):
    level: int
    parts: int
    depth: int


@st.composite
def counted_programs(draw: st.DrawFn, wheel: Wheel, most: int = 20) -> Program:
    """Programs all of whose operations were counted for this request."""
    bfv = wheel.p.scheme == "bfv"
    fresh = sorted(c.level for c in wheel.peaks if c.kind == "encrypt")
    values = [Value(draw(st.sampled_from(fresh)), 2, 0) for _ in range(draw(st.integers(1, 3)))]
    inputs = len(values)
    written = [Operation(Action.ENCRYPT, i, (), v.level, source="x", chunk=i) for i, v in enumerate(values)]
    for _ in range(draw(st.integers(0, most))):
        operation, made = draw(st.sampled_from(list(_possible(wheel, values))))
        for _ in range(draw(st.integers(1, 3)) if operation.action is Action.ROTATE else 1):
            written.append(replace(operation, out=len(values)))
            values.append(made)
    ends = [i for i, v in enumerate(values) if Counted("decrypt", v.level, v.parts, 0, 0) in wheel.peaks]
    outputs = draw(st.lists(st.sampled_from(ends), min_size=1, max_size=3, unique=True))
    program = Program(
        Scheme(wheel.p.scheme),
        SLOTS,
        0 if bfv else wheel.p.limbs - 1,
        with_frees([replace(o, level=0) for o in written] if bfv else written, outputs),
        (np.ones(SLOTS),),
        (Packed("x", SLOTS * inputs, tuple(range(inputs))),),
        tuple(Packed(f"y{v}", SLOTS, (v,)) for v in outputs),
    )
    return hoisted(program) if (wheel.kept or not bfv) and draw(st.booleans()) else program


def _possible(wheel: Wheel, values: list[Value]) -> Iterator[tuple[Operation, Value]]:
    """Every counted operation on values that are there, with the value that it makes."""
    latest = {(v.level, v.parts): i for i, v in enumerate(values)}
    for c in wheel.peaks:
        if c.kind in ("encrypt", "decrypt", "keygen", "rotate_hoist", "rotate_hoisted"):
            continue
        operand = c.level + c.dropped, {"mul": 2, "square": 2, "relinearize": 3}.get(c.kind, c.polys)
        for x, v in enumerate(values):
            args = (x, latest[operand]) if c.kind in TWO_OPERANDS and operand in latest else (x,)
            depth = max(values[a].depth for a in args)
            unseen = wheel.p.scheme == "bfv" and c.kind in BY_DEPTH and c.depth != depth
            if (v.level, v.parts) != operand or unseen:
                continue
            made = Value(c.level - (c.kind == "rescale"), c.polys, depth + (c.kind in ("mul", "square")))
            plain = 0 if c.kind in ("add_plain", "mul_plain") else None
            steps = 1 + x % (SLOTS - 1) if c.kind == "rotate" else 0
            yield Operation(Action(c.kind), len(values), args, made.level, plain, steps), made
