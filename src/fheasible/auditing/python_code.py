"""Python code as assignments and calls, by its syntax tree alone."""

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from fheasible.auditing.values import LONGEST, Assigned, Call, Statement, Symbol, Unread, combined, folded
from fheasible.errors import DataError

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def statements(source: str, name: str) -> list[Statement]:
    """The file's assignments and calls, in order; a function's come after those of what surrounds it.

    DataError where it is no Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as those on escapes in somebody's strings
            tree = ast.parse(source)
        return list(_Scope({}).read(tree.body))
    except SyntaxError as error:
        raise DataError(
            f"{name}, line {error.lineno}: this is no valid Python: {error.msg}", "mend the file"
        ) from None
    except (RecursionError, MemoryError, ValueError) as error:
        said = str(error) or "its expressions are nested too deeply"
        raise DataError(f"{name} cannot be read as Python: {said}", "mend the file") from None


class _Scope:
    """The names of a module or a function, with what they stand for."""

    def __init__(self, known: dict[str, Any]) -> None:
        self._known = known
        self._branches = 0
        self._pending: list[tuple[ast.AST, dict[str, Any]]] = []

    def read(self, body: Sequence[ast.stmt]) -> Iterator[Statement]:
        yield from self._block(body)
        for node, _ in self._pending:
            if isinstance(node, ast.ClassDef):
                yield from _Scope(dict(self._known)).read(node.body)
            elif isinstance(node, _FUNCTIONS):
                given = node.args
                every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
                arguments = {a.arg: Unread(a.arg, f"it is an argument of {node.name}") for a in every}
                yield from _Scope(dict(self._known) | arguments).read(node.body)

    def _block(self, body: Sequence[ast.stmt]) -> Iterator[Statement]:
        for node in body:
            yield from self._statement(node)

    def _statement(self, node: ast.stmt) -> Iterator[Statement]:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            self._pending.append((node, {}))
        elif isinstance(node, _BRANCHES):
            yield from self._branch(node)
        else:
            yield from self._calls(node)
            yield from self._assignments(node)

    def _branch(self, node: ast.AST) -> Iterator[Statement]:
        """Its header's calls, and its blocks; in what may not run, or runs often, a new value is unsure."""
        sure = isinstance(node, ast.With | ast.AsyncWith | ast.Try) or _is_main(node)
        self._branches += not sure
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                yield from self._statement(child)
            elif isinstance(child, ast.expr):
                yield from self._calls(child)
            else:  # a handler, an item of `with`, a case
                for inner in ast.iter_child_nodes(child):
                    if isinstance(inner, ast.stmt):
                        yield from self._statement(inner)
                    else:
                        yield from self._calls(inner)
        if isinstance(node, ast.For | ast.AsyncFor):
            for name in ast.walk(node.target):
                if isinstance(name, ast.Name):
                    self._known[name.id] = Unread(name.id, "a loop changes it")
        self._branches -= not sure

    def _assignments(self, node: ast.stmt) -> Iterator[Statement]:
        if isinstance(node, ast.AugAssign):
            name = _path(node.target)
            if name:
                self._known[name] = Unread(name, f"line {node.lineno} changes it")
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from self._assigned(node.target, node.value)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from self._assigned(target, node.value)

    def _assigned(self, target: ast.expr, value: ast.expr) -> Iterator[Statement]:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            if len(parts) == len(target.elts):
                for one, part in zip(target.elts, parts, strict=True):
                    yield from self._assigned(one, part)
            return
        name = _path(target)
        if not name:
            return
        found = self.value(value)
        if self._branches and name in self._known and self._known[name] != found:
            found = Unread(name, f"it has several values, one from line {target.lineno}")
        self._known[name] = found
        yield Assigned(target.lineno, name, found)

    def _calls(self, node: ast.AST) -> Iterator[Statement]:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and (made := self._call(inner)):
                yield made

    def _call(self, node: ast.Call) -> Call | None:
        name = _path(node.func)
        if not name:
            return None
        arguments = tuple(self.value(a) for a in node.args)
        return Call(
            name, arguments, {k.arg: self.value(k.value) for k in node.keywords if k.arg}, node.lineno
        )

    def value(self, node: ast.expr) -> Any:
        """The value of the expression, as far as the file says it."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as constant):
                return constant
            case ast.Name() | ast.Attribute():
                name = _path(node)
                return self._known.get(name, Symbol(name)) if name else Unread(_text(node))
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return tuple(self.value(p) for p in parts[:LONGEST])
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return combined("-", 0, self.value(inner))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return combined(_OPERATORS[type(op)], self.value(left), self.value(right))
            case ast.Call():
                made = self._call(node)
                return folded(made) if made else Unread(_text(node))
        return Unread(_text(node))


def _path(node: ast.AST) -> str:
    """'a.b.c' of names joined by points; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        first = _path(node.value)
        return f"{first}.{node.attr}" if first else ""
    return ""


def _is_main(node: ast.AST) -> bool:
    """Whether it is `if __name__ == "__main__"`."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and _path(node.test.left) == "__name__"
    )


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "..."
