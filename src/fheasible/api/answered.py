"""What the answers of all kinds of libraries have in common."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fheasible.aliases import Json
from fheasible.api.layout import Part, text_of
from fheasible.api.summary import Line
from fheasible.api.text import TextPage
from fheasible.store.rows import plain

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

C = TypeVar("C")


class Answered:
    """An answer of `explore`, which does not change."""

    __slots__ = ()

    exploration: Any

    @property
    def explored(self) -> int:
        """How many parameter sets were tried."""
        return int(self.exploration.explored)

    @property
    def feasible(self) -> int:
        """How many of the explored parameter sets do what was asked."""
        return int(self.exploration.feasible)

    @property
    def fits(self) -> bool:
        """Whether any set does what was asked."""
        return bool(self.exploration.candidates)

    @property
    def document(self) -> Json:
        """The fields of the document, with numbers and arrays as they were computed."""
        raise NotImplementedError

    def to_json(self) -> Json:
        """The document of `fheasible explore --json`, with nulls where there is no figure."""
        found: Json = plain(self.document)
        return found

    def lines(self, page: TextPage) -> Iterator[Part]:
        """The lines that a terminal shows."""
        raise NotImplementedError

    def __str__(self) -> str:
        page = TextPage()
        return "\n".join(text_of(self.lines(page), page.width))


class Ranked(Answered, Generic[C]):
    """An answer whose candidates are those of the search. Its reasons take no further search."""

    __slots__ = ()

    @property
    def candidates(self) -> tuple[C, ...]:
        """The sets that fit, best first."""
        return tuple(self.exploration.candidates)

    @property
    def best(self) -> C | None:
        """The recommended set; None where nothing fits."""
        return self.candidates[0] if self.candidates else None

    def prepare(self) -> None:
        """Does nothing, since the reasons are there."""


class InParts:
    """An answer in the parts that a terminal and a page show."""

    __slots__ = ()

    @property
    def headline(self) -> list[str]:
        """What is computed, what was asked, how much was tried, and on which data."""
        raise NotImplementedError

    def summary(self, proof: str | None = None) -> list[Line]:
        """The five lines, each with its heading; none where nothing fits. `proof`: the command that proves
        the recommendation."""
        raise NotImplementedError

    @property
    def against(self) -> list[Line]:
        """(heading, reason) against other libraries and schemes, and what others would take."""
        raise NotImplementedError

    @property
    def remedies(self) -> list[str]:
        """What may help where nothing fits."""
        raise NotImplementedError


class Frame:
    """An answer that any dataframe library takes as it is, through Arrow's interchange protocol."""

    __slots__ = ()

    def to_arrow(self) -> "pyarrow.Table":
        """A table with a row for each candidate and a column for each figure, in base units."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table in the form that the Arrow PyCapsule interface asks for."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)
