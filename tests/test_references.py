"""Every source that a docstring cites stands in docs/references.md, once."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
REFERENCES = (ROOT / "docs" / "references.md").read_text()
FILES = sorted((ROOT / "src").rglob("*.py"))
ENTRY = re.compile(r"^- \*\*\[(\w+)\]\*\* \S", re.MULTILINE)
CITED = re.compile(r"(?<![\w\])])\[([A-Z]\w{2,})(?:, [^\]]*)?\](?!\()")  # [SEAL], [HanKi19, Sec. 3]


def keys() -> list[str]:
    return ENTRY.findall(REFERENCES)


def prose(source: str) -> list[str]:
    """Docstrings, strings and comments: wherever a source can be named."""
    strings = [
        n.value
        for n in ast.walk(ast.parse(source))
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    comments = [line.partition("#")[2] for line in source.splitlines() if "#" in line]
    return [*strings, *comments]


def cited(source: str) -> set[str]:
    return {key for text in prose(source) for key in CITED.findall(text)}


def test_every_cited_key_has_an_entry() -> None:
    known, found = set(keys()), {str(file): cited(file.read_text()) for file in FILES}
    assert {file: names - known for file, names in found.items() if names - known} == {}
    assert len(set().union(*found.values())) > 30  # citations are found


def test_every_key_is_there_once() -> None:
    assert [key for key, count in Counter(keys()).items() if count > 1] == []
    assert len(keys()) == REFERENCES.count("\n- ") >= 10


def test_a_citation_is_told_from_an_index() -> None:
    text = '"""[HanKi19, Sec. 3] and [SEAL]; x[Index], [low, high], [N, 2N), q[L], [Link](there)."""'
    assert cited(text + "  # by [KPP22]\n") == {"HanKi19", "SEAL", "KPP22"}
