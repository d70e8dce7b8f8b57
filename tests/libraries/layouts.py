"""Layouts of every library, and what a program may ask of them."""

from hypothesis import strategies as st

from fheasible.libraries.layout import SWITCHING, Layout, Task
from fheasible.program.types import LACKING, Action

from .chains import LIBRARIES, SCHEMES

HOISTED = ("rotate_hoist", "rotate_hoisted")
ACTIONS = (
    *(a.value for a in Action if not a.startswith(("eval_", "bootstrap"))),
    *HOISTED,
    "decrypt",
    "keygen",
)
MODULI = (65_537, 786_433, (1 << 40) - 87)
RESULT = {"mul": 3, "square": 3, "encrypt": 2} | dict.fromkeys(SWITCHING, 2)


@st.composite
def layouts(draw: st.DrawFn, library: str, scheme: str, most: int = 16) -> Layout:
    """Of up to `most` limbs, whether the library would make such parameters or not."""
    limbs, special = draw(st.integers(1, most)), draw(st.integers(1, 6))
    digits, bv = draw(st.integers(1, limbs)), library == "openfhe" and draw(st.booleans())
    if library == "seal":
        special = 1
    if library == "lattigo":
        digits = -(-limbs // special)
    found = Layout(
        library,
        scheme,
        limbs,
        0 if bv else special,
        digits,
        "bv" if bv else "hybrid",
        special_bits=draw(st.sampled_from((30, 58, 60, 61))) if library == "lattigo" else 1,
        flooded=library == "openfhe" and scheme == "ckks" and draw(st.booleans()),
    )
    return _with_integers(draw, found) if scheme == "bfv" else found


def _with_integers(draw: st.DrawFn, shared: Layout) -> Layout:
    return Layout(
        shared.library,
        "bfv",
        shared.limbs,
        shared.special,
        shared.digits,
        shared.key_switching,
        1 << draw(st.integers(11, 16)),
        draw(st.sampled_from(MODULI)),
        draw(st.sampled_from((20.5, 36.25, 49.999, 55.3, 59.9, 60.0))),
        draw(st.sampled_from(("uniform_ternary", "gaussian"))),
        shared.special_bits,
    )


def of(scheme: str) -> list[str]:
    """All that a program of the scheme may ask for, "decrypt" and "keygen"."""
    return [action for action in ACTIONS if (scheme, action) not in LACKING]


@st.composite
def tasks(draw: st.DrawFn, layout: Layout, actions: tuple[str, ...] | None = None) -> Task:
    """One that makes sense there."""
    hoists = layout.library != "seal"
    known = [a for a in actions or of(layout.scheme) if hoists or a not in HOISTED]
    if layout.limbs == 1:
        known.remove("rescale") if "rescale" in known else None
    action, top = draw(st.sampled_from(known)), layout.limbs - 1
    level = top if layout.scheme == "bfv" else draw(st.integers(action == "rescale", top))
    polys = RESULT.get(action) or draw(st.integers(0, 6) if action == "keygen" else st.integers(2, 3))
    dropped = draw(st.integers(0, top - level)) if action == "drop" else 0
    depth = draw(st.integers(0, 4)) if layout.scheme == "bfv" else 0
    return Task(action, level, polys, dropped, depth)


@st.composite
def asked(draw: st.DrawFn, most: int = 16) -> tuple[Layout, Task]:
    layout = draw(layouts(draw(st.sampled_from(LIBRARIES)), draw(st.sampled_from(SCHEMES)), most))
    return layout, draw(tasks(layout))
