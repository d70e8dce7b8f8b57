"""C++ and Go as words: without comments, each with its line."""

import re
from dataclasses import dataclass

_WORD = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])+')
    |(?P<define>^[ \t]*\#[ \t]*define[ \t]+(?P<macro>\w+)(?P<meaning>[ \t](?:[^\n\\]|\\\n|\\.)*)?)
    |(?P<directive>^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)
    |(?P<number>0[xX][0-9a-fA-F'_]+[uUlL]*|(?:\d[\d'_]*\.?[\d'_]*|\.\d[\d'_]*)(?:[eE][+-]?\d+)?[uUlLfF]*)
    |(?P<name>[^\W\d]\w*)
    |(?P<mark>:=|::|->|<<=|>>=|<<|\+\+|--|[-+*/%|&^=!<>]=|&&|\|\||\.\.\.|[^\s\w])
    |(?P<line>\n)|(?P<blank>[ \t\r\f\v]+)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """`kind` is "name", "number", "text" or "mark"."""

    kind: str
    text: str
    line: int


def words(source: str) -> list[Word]:
    """The words of the source. A `#define A 5` becomes the words of `A = 5;`, and other directives are left
    out. In Go the end of a line may end a statement, which the words do not show."""
    found: list[Word] = []
    line = 1
    for match in _WORD.finditer(source):
        kind, text = match.lastgroup or "", match.group()
        if match.group("define") is not None:
            meaning = words(match.group("meaning") or "")
            if meaning:
                given = (Word("name", match.group("macro"), line), Word("mark", "=", line))
                found += [*given, *(Word(w.kind, w.text, line) for w in meaning), Word("mark", ";", line)]
        elif kind in ("name", "number", "text", "mark"):
            found.append(Word(kind, text, line))
        line += text.count("\n")
    return found


def number(text: str) -> int | float | None:
    """The value of a literal with its separators and suffixes; None for one that is none."""
    plain = text.replace("'", "").replace("_", "")
    try:
        if plain[:2].lower() == "0x":
            return int(plain.rstrip("uUlL"), 16)
        plain = plain.rstrip("uUlLfF")
        if plain.isdecimal():
            return int(plain, 8) if len(plain) > 1 and plain[0] == "0" else int(plain)
        return float(plain)
    except ValueError:
        return None
