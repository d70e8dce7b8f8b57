"""The numbers that an application's file names at its top, such as `n = 32`, and others in their place."""

import ast
from collections.abc import Mapping
from pathlib import Path
from types import CodeType

from fheasible.errors import UsageError

Number = int | float


def named_numbers(file: Path) -> dict[str, Number]:
    """The names that the file gives to plain numbers at its top level, each with the last of its numbers."""
    return {name: _value(node) for name, node in _assignments(_tree(file))}


def with_numbers(file: Path, given: Mapping[str, Number]) -> CodeType:
    """The file's code with these numbers in place of its own. UsageError for a name that is given to no plain
    number there. SyntaxError where the file is not valid Python."""
    tree = _tree(file)
    known = dict(_assignments(tree))
    for name in given:
        if name not in known:
            has = f"it names {', '.join(known)}" if known else "it names none"
            raise UsageError(
                f"{file} names no number {name}; {has}",
                f"write `{name} = {given[name]}` at the top of the file, and use {name} below",
            )
    for name, node in _assignments(tree):
        if name in given:
            node.value = ast.copy_location(ast.Constant(given[name]), node.value or node)
    return compile(tree, str(file.resolve()), "exec", dont_inherit=True)


def read_number(text: str) -> Number | None:
    """The number that the text stands for, whole where it is written so; None where it stands for none."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def valued(typed: str) -> Number | str:
    """The value of a setting, a number where it is one."""
    found = read_number(typed)
    return typed if found is None else found


def number(name: str, text: str) -> Number:
    """The number that the text stands for. UsageError where it is none."""
    found = read_number(text)
    if found is None:
        raise UsageError(f"{name}={text!r} is not a number", f"write {name}=32")
    return found


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_bytes(), str(file.resolve()))


def _assignments(tree: ast.Module) -> list[tuple[str, ast.Assign | ast.AnnAssign]]:
    found: list[tuple[str, ast.Assign | ast.AnnAssign]] = []
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target: ast.expr = node.targets[0]
        elif isinstance(node, ast.AnnAssign):
            target = node.target
        else:
            continue
        if isinstance(target, ast.Name) and _is_number(node.value):
            found.append((target.id, node))
    return found


def _is_number(value: ast.expr | None) -> bool:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        value = value.operand
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def _value(node: ast.Assign | ast.AnnAssign) -> Number:
    found: Number = ast.literal_eval(node.value)  # type: ignore[arg-type]
    return found
