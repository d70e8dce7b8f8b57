"""Programs of random operations, as far as a scheme has them: for what is counted, not for what is
computed."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from fheasible.lowering.hoisting import hoisted
from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

SLOTS = 8
UNARY = (Action.NEG, Action.ADD_PLAIN, Action.MUL_PLAIN, Action.ADD_SCALAR, Action.MUL_SCALAR)


@dataclass
class Writer:
    """Operations so far, with the level and the polynomials of every value."""

    scheme: Scheme
    top: int
    bootstraps: bool = False
    operations: list[Operation] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def put(self, action: Action, args: tuple[int, ...], level: int, size: int, **more: int) -> None:
        self.operations.append(Operation(action, len(self.levels), args, level, **more))
        self.levels.append(level)
        self.sizes.append(size)

    def fits(self, action: Action, x: int) -> bool:
        """Whether value x may be an operand of it."""
        match action:
            case Action.RESCALE | Action.DROP:
                return self.scheme is not Scheme.BFV and self.levels[x] > 0
            case Action.SWAP_ROWS if self.scheme is Scheme.CKKS:
                return False
            case Action.BOOTSTRAP:
                return self.bootstraps and self.scheme is Scheme.CKKS and self.sizes[x] == 2
            case Action.MUL | Action.SQUARE | Action.ROTATE | Action.SWAP_ROWS:
                return self.sizes[x] == 2
            case Action.RELINEARIZE:
                return self.sizes[x] == 3
        return True


@st.composite
def programs(
    draw: st.DrawFn, scheme: str, top: int, most: int = 25, hoists: bool = True, bootstraps: bool = False
) -> Program:
    """With fresh values at `top` and below, of at most so many operations; rotations of one value are hoisted
    in some, if the library `hoists`."""
    w = Writer(Scheme(scheme), top, bootstraps)
    for chunk in range(draw(st.integers(1, 3))):
        level = 0 if w.scheme is Scheme.BFV else draw(st.integers(top // 2, top))
        w.operations.append(Operation(Action.ENCRYPT, chunk, (), level, source="x", chunk=chunk))
        w.levels.append(level)
        w.sizes.append(2)
    inputs = len(w.levels)
    for _ in range(draw(st.integers(0, most))):
        _draw_operation(draw, w)
    values = draw(st.lists(st.sampled_from(range(len(w.levels))), min_size=1, max_size=3, unique=True))
    program = Program(
        w.scheme,
        SLOTS,
        0 if w.scheme is Scheme.BFV else top,
        with_frees(w.operations, values),
        (np.ones(SLOTS),),
        (Packed("x", SLOTS * inputs, tuple(range(inputs))),),
        tuple(Packed(f"y{v}", SLOTS, (v,)) for v in values),
    )
    return hoisted(program) if hoists and draw(st.booleans()) else program


def _draw_operation(draw: st.DrawFn, w: Writer) -> None:
    x = draw(st.sampled_from(range(len(w.levels))))
    action = draw(
        st.sampled_from([a for a in Action if not a.startswith(("eval_", "bootstrap")) and w.fits(a, x)])
    )
    level, size = w.levels[x], w.sizes[x]
    match action:
        case Action.ADD | Action.SUB | Action.MUL:
            known = enumerate(zip(w.levels, w.sizes, strict=True))
            y = draw(st.sampled_from([v for v, facts in known if facts == (level, size)]))
            w.put(action, (x, y), level, 3 if action is Action.MUL else size)
        case Action.SQUARE:
            w.put(action, (x,), level, 3)
        case Action.RELINEARIZE:
            w.put(action, (x,), level, 2)
        case Action.RESCALE:
            w.put(action, (x,), level - 1, size)
        case Action.DROP:
            w.put(action, (x,), draw(st.integers(0, level - 1)), size)
        case Action.ROTATE:
            for _ in range(draw(st.integers(1, 3))):  # several share their digits where rotations are hoisted
                w.put(action, (x,), level, size, steps=draw(st.integers(1, SLOTS - 1)))
        case Action.ENCRYPT:
            w.put(Action.NEG, (x,), level, size)
        case Action.BOOTSTRAP:
            w.put(action, (x,), w.top, size)
        case Action.ADD_PLAIN | Action.MUL_PLAIN:
            w.put(action, (x,), level, size, plain=0)
        case _:
            w.put(action, (x,), level, size)
