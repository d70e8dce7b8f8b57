"""C++ and Go as assignments and calls, by a tolerant reading of their words.

It is no compiler: what it does not understand it passes over. Names keep the values that they are given once;
arguments of functions, and names that change in a branch or a loop, have no value.
"""

from typing import Any

from fheasible.auditing.tokens import Word, number, words
from fheasible.auditing.values import LONGEST, Assigned, Call, Statement, Symbol, Unread, combined, folded

_NO_CALLS = {
    "if",
    "for",
    "while",
    "switch",
    "return",
    "catch",
    "sizeof",
    "func",
    "else",
    "case",
    "throw",
    "range",
}
_NO_TYPES = {*_NO_CALLS, "new", "delete", "package", "import", "using", "namespace", "class", "struct",
             "enum", "go", "defer", "goto", "typedef", "template", "public", "operator"}  # fmt: skip
_PRECEDENCE = {"<<": 1, ">>": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3}
_CHANGES = {"+=", "-=", "*=", "/=", "%=", "++", "--"}
_DEEPEST = 60  # levels of brackets in one expression
_END = Word("mark", "", 0)


class _NotUnderstood(Exception):
    pass


def statements(source: str, go: bool) -> list[Statement]:
    """The file's assignments and calls, in order."""
    return _Reader(words(source), go).read()


class _Reader:
    def __init__(self, given: list[Word], go: bool) -> None:
        self._words, self._go, self._at = given, go, 0
        self._scopes: list[dict[str, Any]] = [{}]
        self._pending: dict[str, Any] = {}  # arguments of the function whose body comes next
        self._found: list[Statement] = []
        self._depth = 0

    def read(self) -> list[Statement]:
        while self._at < len(self._words):
            before = self._at
            if not self._statement():
                self._at = before + 1
        return self._found

    # -- statements ----------------------------------------------------------------------------------

    def _statement(self) -> bool:
        """Reads what begins here, if it is understood."""
        here = self._word()
        if here.text == "{":
            self._scopes.append(self._pending)
            self._pending = {}
        elif here.text == "}" and len(self._scopes) > 1:
            self._scopes.pop()
        if here.kind != "name" and here.text not in ("[", "("):
            return False
        kept = len(self._found)
        try:
            return self._named() if here.kind == "name" else self._expressed()
        except _NotUnderstood:
            del self._found[kept:]
            return False

    def _expressed(self) -> bool:
        if not (self._go and self._word().text == "["):
            return False
        self._expression()
        return True

    def _named(self) -> bool:
        line = self._word().line
        if self._word().text in _NO_CALLS:
            if self._go and self._word().text == "func":
                self._go_arguments()
            return False
        name = self._path()
        after = self._word()
        if (
            after.kind == "name"
            and name not in _NO_TYPES
            and after.text not in _NO_TYPES
            and self._same(line)
        ):
            return self._declared(name)
        if (
            after.text in ("*", "&")
            and not self._go
            and self._word(1).kind == "name"
            and self._word(2).text in ("=", ",", ")")
        ):
            self._at += 1
            return self._declared(name)
        if after.text in ("=", ":="):
            self._at += 1
            self._assign(name, self._expression(), line, declared=after.text == ":=")
            return True
        if after.text in _CHANGES:
            self._change(name, Unread(name, f"line {line} changes it"))
            return True
        if after.text == "(" or (after.text == "{" and self._composite(name)):
            self._suffixed(name, line)
            return True
        return False

    def _declared(self, kind: str) -> bool:
        """What follows `kind name`: a value, arguments of a constructor, a function's body, or nothing."""
        line = self._word().line
        name = self._path()
        after = self._word()
        if after.text == "=":
            self._at += 1
            self._assign(name, self._expression(), line, declared=True)
        elif after.text == "(" and self._defines():
            self._cpp_arguments()
        elif after.text in ("(", "{") and not (self._go or kind in _NO_TYPES):
            made = self._bracketed(kind, line)
            alone = made.arguments[0] if len(made.arguments) == 1 and not made.named else None
            plain: Any = alone if after.text == "{" and isinstance(alone, int | float) else None
            if _bare(kind) == "vector" and after.text == "{":
                plain = made.arguments
            self._assign(name, folded(made) if plain is None else plain, line, declared=True)
        elif after.text in (";",) and not self._go:
            self._assign(name, Call(kind, line=line), line, declared=True)
        elif after.text in (",", ")") and not self._go:
            self._pending[name] = Unread(name, "it is an argument of a function")
        else:
            return False
        return True

    def _same(self, line: int) -> bool:
        """Whether a type and its name may stand so: in Go on one line, as its statements end with it."""
        return not self._go or self._word().line == line

    def _defines(self) -> bool:
        """Whether the brackets that begin here are followed by a body, so that they hold arguments."""
        level, at = 0, self._at
        while at < len(self._words):
            text = self._words[at].text
            level += (text == "(") - (text == ")")
            if level == 0:
                following = self._words[at + 1].text if at + 1 < len(self._words) else ""
                return following in ("{", "const", "noexcept", "override", "->") or (
                    following != ";" and self._go
                )
            at += 1
        return False

    def _cpp_arguments(self) -> None:
        """Notes the names of a function's arguments, each the last word before a comma or the end."""
        level = 0
        while self._at < len(self._words):
            here, following = self._word(), self._word(1)
            level += (here.text == "(") - (here.text == ")")
            self._at += 1
            if here.kind == "name" and following.text in (",", ")", "="):
                self._pending[here.text] = Unread(here.text, "it is an argument of a function")
            if level == 0:
                return

    def _go_arguments(self) -> None:
        """Notes the names in the brackets of `func name(a, b int)`: every word before a type or a comma."""
        at = self._at + 1
        level = 0
        while at < len(self._words) and self._words[at].text != "{":
            here = self._words[at]
            level += (here.text == "(") - (here.text == ")")
            if level and here.kind == "name":
                self._pending[here.text] = Unread(here.text, "it is an argument of a function")
            at += 1

    # -- names and their values ----------------------------------------------------------------------

    def _assign(self, name: str, value: Any, line: int, declared: bool) -> None:
        if declared:
            self._scopes[-1][name] = value
        else:
            self._change(name, value)
        self._found.append(Assigned(line, name, self._known(name)))

    def _change(self, name: str, value: Any) -> None:
        owner = next((scope for scope in reversed(self._scopes) if name in scope), None)
        if owner is None or owner is self._scopes[-1] or owner[name] == value:
            (self._scopes[-1] if owner is None else owner)[name] = value
        elif isinstance(owner[name], Call) and not owner[name].arguments:  # declared above, filled here
            owner[name] = value
        else:
            owner[name] = Unread(name, "it has several values")

    def _known(self, name: str) -> Any:
        found = next((scope[name] for scope in reversed(self._scopes) if name in scope), None)
        return Symbol(name) if found is None else found

    # -- expressions ---------------------------------------------------------------------------------

    def _expression(self, least: int = 1) -> Any:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise _NotUnderstood
            left = self._operand()
            while (operator := self._operator()) and _PRECEDENCE[operator] >= least:
                self._at += len(operator) if operator == ">>" else 1
                right = self._expression(_PRECEDENCE[operator] + 1)
                whole = operator == "/" and isinstance(left, int) and isinstance(right, int)
                left = combined("//" if whole else operator, left, right)
            return left
        finally:
            self._depth -= 1

    def _operator(self) -> str:
        text = self._word().text
        if text == ">" and self._word(1).text == ">":
            return ">>"
        return text if text in _PRECEDENCE else ""

    def _operand(self) -> Any:
        here = self._word()
        if here.text == "-":
            self._at += 1
            return combined("-", 0, self._operand())
        if here.text == "&" or here.text == "new":
            self._at += 1
            return self._operand()
        if here.kind == "number":
            self._at += 1
            read = number(here.text)
            return Unread(here.text) if read is None else read
        if here.kind == "text":
            self._at += 1
            return here.text[1:-1]
        if here.text == "(":
            self._at += 1
            inner = self._expression()
            self._expect(")")
            follows = self._word()  # a cast, as (uint64_t)1
            if isinstance(inner, Symbol) and (follows.kind in ("name", "number") or follows.text == "("):
                return self._operand()
            return inner
        if here.text == "{":
            return tuple(self._bracketed("", here.line).arguments)
        if here.text == "[":
            return self._go_list()
        if here.kind == "name" and here.text not in _NO_CALLS:
            line = here.line
            return self._suffixed(self._path(), line)
        raise _NotUnderstood

    def _suffixed(self, name: str, line: int) -> Any:
        """What the name with the brackets after it stands for; each call is noted."""
        value: Any = self._known(name)
        while True:
            after = self._word()
            if after.text == "(" or (after.text == "{" and self._composite(name)):
                made = self._bracketed(name, line)
                self._found.append(made)
                value = made.arguments if _bare(name) == "vector" and after.text == "{" else folded(made)
            elif after.text == "[":
                self._skip()
                value = Unread(name, "an entry of a list is not followed")
            elif after.text in (".", "->") and self._word(1).kind == "name":
                self._at += 1
                name = f"{name}.{self._path()}"
                value = Unread(name)
            else:
                return value

    def _composite(self, name: str) -> bool:
        """Whether a brace after the name begins a literal, and no block."""
        return _bare(name) == "vector" or (self._go and name[0] != "_" and _bare(name)[:1].isupper())

    def _go_list(self) -> Any:
        """`[]int{55, 45}`, or an array with its length."""
        self._skip()
        if self._word().kind != "name":
            raise _NotUnderstood
        self._path()
        if self._word().text != "{":
            raise _NotUnderstood
        return tuple(self._bracketed("", self._word().line).arguments)

    def _bracketed(self, name: str, line: int) -> Call:
        """The call with the arguments between the brackets that begin here."""
        close = {"(": ")", "{": "}"}[self._word().text]
        self._at += 1
        arguments: list[Any] = []
        named: dict[str, Any] = {}
        while self._word().text != close:
            if self._word().kind == "name" and self._word(1).text == ":" and close == "}":
                key = self._word().text
                self._at += 2
                named[key] = self._argument(close)
            elif self._word().text == "." and self._word(2).text == "=" and close == "}":
                key = self._word(1).text  # C++20's .member = value
                self._at += 3
                named[key] = self._argument(close)
            else:
                arguments.append(self._argument(close))
            if len(arguments) > LONGEST or self._word() is _END:
                raise _NotUnderstood
            if self._word().text == ",":
                self._at += 1
        self._at += 1
        return Call(name, tuple(arguments), named, line)

    def _argument(self, close: str) -> Any:
        """One argument; where it is not understood, its words are passed over."""
        begun, kept = self._at, len(self._found)
        try:
            value = self._expression()
            if self._word().text in (",", close):
                return value
        except _NotUnderstood:
            pass
        self._at = begun
        del self._found[kept:]
        self._pass_over(close)
        text = " ".join(w.text for w in self._words[begun : self._at])
        return Unread(text if len(text) <= 40 else text[:37] + "...")

    def _pass_over(self, close: str) -> None:
        level = 0
        while self._word() is not _END:
            text = self._word().text
            if level == 0 and text in (",", close):
                return
            level += (text in "([{") - (text in ")]}")
            if level < 0:
                raise _NotUnderstood
            self._at += 1
        raise _NotUnderstood

    def _skip(self) -> None:
        """Passes over a pair of square brackets."""
        self._at += 1
        self._pass_over("]") if self._word().text != "]" else None
        self._expect("]")

    # -- words ---------------------------------------------------------------------------------------

    def _path(self) -> str:
        """A name with its scopes and template arguments: 'lbcrypto.CCParams<CryptoContextCKKSRNS>'."""
        name = self._word().text
        self._at += 1
        while True:
            joined = self._word().text in ("::", ".", "->") and self._word(1).kind == "name"
            if joined:
                name += f".{self._word(1).text}"
                self._at += 2
            elif self._word().text == "<" and (length := self._template()):
                name += "".join(w.text for w in self._words[self._at : self._at + length])
                self._at += length
            else:
                return name.replace("::", ".")

    def _template(self) -> int:
        """The number of words of the template arguments that begin here; 0 where they are none."""
        level = 0
        for i, word in enumerate(self._words[self._at : self._at + 40]):
            level += (word.text == "<") - (word.text == ">")
            if level == 0:
                after = self._word(i + 1)
                return (
                    i + 1 if after.kind == "name" or after.text in ("(", "{", "::", "*", "&", ",", ")") else 0
                )
            if not (word.kind == "name" or word.text in ("<", ">", "::", ",", "*", "&")):
                return 0
        return 0

    def _word(self, ahead: int = 0) -> Word:
        at = self._at + ahead
        return self._words[at] if 0 <= at < len(self._words) else _END

    def _expect(self, text: str) -> None:
        if self._word().text != text:
            raise _NotUnderstood
        self._at += 1


def _bare(name: str) -> str:
    """A name without scopes and template arguments."""
    return name.split("<", 1)[0].rsplit(".", 1)[-1]
