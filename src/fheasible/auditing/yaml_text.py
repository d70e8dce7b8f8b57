"""The few forms of YAML that a file of parameters has: sections, scalars and lists of scalars.

Anchors, tags, multi-line strings and nested flow mappings are not followed; their values are `Unread`.
"""

import re
from typing import Any

from fheasible.auditing.values import LONGEST, Unread

_LINE = re.compile(r"^(?P<indent> *)(?:(?P<key>[\w.\-\"' ]+?)\s*:(?:\s+(?P<value>.*))?|-\s+(?P<item>.*))$")
_INTEGER = re.compile(r"[-+]?\d[\d_]*$")
_FLOAT = re.compile(r"[-+]?(\d[\d_]*)?\.?\d+([eE][-+]?\d+)?$")


def entries(source: str) -> dict[tuple[str, ...], tuple[int, Any]]:
    """The values by their path of keys, each with its line. A list is a tuple."""
    found: dict[tuple[str, ...], tuple[int, Any]] = {}
    open_keys: list[tuple[int, str, int]] = []  # (indent, key, line)
    gathered = ""
    for number, raw in enumerate(source.splitlines(), 1):
        text = _without_comment(gathered + " " + raw.strip() if gathered else raw)
        if text.count("[") > text.count("]") and len(text) < 16 * LONGEST:
            gathered = text  # a flow list that goes on in the next line
            continue
        gathered = ""
        line = _LINE.match(text.rstrip())
        if line is None:
            continue
        indent = len(line["indent"])
        if line["item"] is not None:
            _append(found, open_keys, indent, number, line["item"])
            continue
        while open_keys and open_keys[-1][0] >= indent:
            open_keys.pop()
        open_keys.append((indent, line["key"].strip("\"' "), number))
        if line["value"]:
            found[tuple(key for _, key, _ in open_keys)] = (number, scalar(line["value"].strip()))
    return found


def _append(
    found: dict[tuple[str, ...], tuple[int, Any]],
    open_keys: list[tuple[int, str, int]],
    indent: int,
    number: int,
    item: str,
) -> None:
    """Adds an entry of a list that is written one entry a line."""
    while open_keys and open_keys[-1][0] > indent:
        open_keys.pop()
    if open_keys:
        path = tuple(key for _, key, _ in open_keys)
        line, before = found.get(path, (number, ()))
        if isinstance(before, tuple) and len(before) < LONGEST:
            found[path] = (line, (*before, scalar(item.strip())))


def scalar(text: str) -> Any:
    """The value of a scalar or of a flow list."""
    if text.startswith("[") and text.endswith("]"):
        parts = [part.strip() for part in text[1:-1].split(",")]
        return tuple(scalar(part) if "[" not in part else Unread(part) for part in parts[:LONGEST] if part)
    if text[:1] in "&*!|>{[%@`":
        return Unread(text)
    if len(text) < 40 and _INTEGER.match(text):
        return int(text.replace("_", ""))
    if len(text) < 40 and _FLOAT.match(text):
        return float(text.replace("_", ""))
    return text.strip("\"'")


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*$", "", line)
