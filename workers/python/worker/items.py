"""What a `measure` request asks for, read and checked before anything runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker.backend import HOISTING, Library
from worker.refusal import BAD_REQUEST, UNSUPPORTED, Refusal, reading
from worker.request import Json, Operation, Plan, Program, contiguous, read_plan

KEYGEN, TABLE = "keygen_", "table_"
_NEEDED = {name: name for name in ("rescale", "drop", "swap_rows", "bootstrap")}
_NEEDED |= dict.fromkeys(("rotate_hoist", "rotate_hoisted"), HOISTING)  # actions that not every scheme has
_LOWERS = ("rescale", "drop")
_SWITCHES = ("relinearize", "rescale")  # operations that need a relinearisation key


@dataclass(frozen=True)
class Item:
    operation: str
    level: int  # of the operands


@dataclass(frozen=True)
class Vectors:
    """How vectors of `slots` numbers lie in the ring."""

    scheme: str
    slots: int
    two_rows: bool
    automatic: bool
    sparse: bool
    bootstrapped: int | None  # the level that a bootstrap leaves; None where the parameters have none
    table: bool  # whether this bootstrap looks a table up


@dataclass(frozen=True)
class Request:
    """A checked `measure` request. `lacking` says of each item that is not possible here why."""

    parameters: Json
    program: Program  # that needs the same keys and levels
    items: tuple[Item, ...]
    lacking: dict[Item, str]
    x: NDArray[Any]
    y: NDArray[Any]
    scalar: float | int
    plan: Plan
    folder: Path


def read_measure(library: Library, message: Json, names: Sequence[str]) -> Request:
    """The request for operations of these names, or a refusal, before anything runs, of whatever is wrong."""
    with reading("request"):
        parameters, folder = message["parameters"], Path(message["folder"])
        like = _vectors(message)
        items = tuple(Item(str(i["operation"]), int(i.get("level", 0))) for i in message["items"])
        x, y = (contiguous(np.load(message["inputs"][name]), like.scheme) for name in ("x", "y"))
        scalar = float(message["scalar"]) if like.scheme == "ckks" else int(message["scalar"])
        plan = read_plan(message.get("plan", {}))
    unknown = sorted({i.operation for i in items} - {*names})
    if unknown or not items:
        raise Refusal(BAD_REQUEST, f"no operation {', '.join(unknown)}; there are {', '.join(names)}")
    if not x.shape == y.shape == (like.slots,) or like.slots < 1 or like.slots & (like.slots - 1):
        raise Refusal(BAD_REQUEST, f"{like.slots} slots, with vectors of shape {x.shape} and {y.shape}")
    lacking = _lacking(library, items, like)
    possible = [i for i in items if i not in lacking]
    if not possible:
        every = [Item(name, items[0].level) for name in names]
        there = ", ".join(i.operation for i in every if i not in _lacking(library, every, like))
        raise Refusal(UNSUPPORTED, f"{'; '.join(dict.fromkeys(lacking.values()))}; possible are {there}")
    return Request(parameters, _program(like, possible), items, lacking, x, y, scalar, plan, folder)


def _vectors(message: Json) -> Vectors:
    return Vectors(
        str(message["parameters"]["scheme"]),
        int(message["slots"]),
        *(bool(message.get(name, False)) for name in ("two_rows", "automatic", "sparse")),
        _bootstrapped(message["parameters"]),
        "table" in (message["parameters"].get("bootstrap") or {}),
    )


def _bootstrapped(parameters: Json) -> int | None:
    told = parameters.get("bootstrap")
    return int(told["levels"]) if told else None


def _lacking(library: Library, items: Sequence[Item], like: Vectors) -> dict[Item, str]:
    actions = library.actions(like.scheme, like.automatic)
    known = library.lacks(like.scheme, like.sparse)
    reasons = {i: known.get(i.operation) or _why_not(i, like, actions) for i in items}
    return {i: why for i, why in reasons.items() if why}


def _why_not(item: Item, like: Vectors, actions: frozenset[str]) -> str:
    """Why the scheme does not have the item; empty where it has."""
    name = item.operation
    if name in _LOWERS and like.scheme == "bfv":
        return "BFV has no levels"
    if name == "swap_rows" and like.scheme == "ckks":
        return "a CKKS ciphertext has one row of slots"
    if name == "swap_rows" and not like.two_rows:
        return f"a vector of {like.slots} slots stands in both rows alike"
    if name == "drop" and like.automatic:
        return "the library brings operands to one level by itself"
    if name in _LOWERS and item.level == 0:
        return "there is no level below 0"
    if name.startswith(TABLE) and not like.table:
        return "the parameters look no table up"
    if name == "bootstrap" and like.table:
        return "the parameters' bootstrap looks a table up: table_lookup"
    if name == "bootstrap" and name in actions and like.bootstrapped is None:
        return "the parameters have no bootstrap"
    if name in _NEEDED and _NEEDED[name] not in actions:
        return f"{like.scheme.upper()} has no {name} here"
    return ""


def _program(like: Vectors, items: Sequence[Item]) -> Program:
    """A program that needs the keys and the levels of these items."""
    names, levels = {i.operation for i in items}, sorted({i.level for i in items})
    top = max(levels)
    if like.bootstrapped is not None and "bootstrap" in names:
        top = like.bootstrapped
    fresh = tuple(Operation("encrypt", 0, (), level, None, 0, "x", 0, ()) for level in levels)
    refreshed = (Operation("bootstrap", 0, (0,), top, None, 0, "", 0, ()),) * ("bootstrap" in names)
    return Program(
        like.scheme,
        like.slots,
        top,
        like.automatic,
        like.two_rows,
        plains={},
        operations=fresh + refreshed,
        inputs=(),
        outputs=(),
        rotations=(1,) if any(name.startswith("rotate") for name in names) else (),
        swaps_rows="swap_rows" in names,
        relinearizes=not names.isdisjoint(_SWITCHES),
        sums_slots=False,
    )
