"""The options of `explore` and `verify`: wishes, and pins beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.cli.options import Wishes
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from fheasible.api.options import Options

Pins = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="KEY=VALUE",
        help="Only search sets with this parameter, such as ring_dimension=16384; may be repeated. The names "
        "and values are those of `run --param`.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedWishes(Wishes):
    """The options that `explore` and `verify` share."""

    param: Pins = None

    def options(self) -> "Options":
        """The options as the Python API has them."""
        from dataclasses import replace

        asked = Wishes.options(self)
        return replace(asked, params=settings_of(self.param)) if self.param else asked


def settings_of(params: Sequence[str]) -> dict[str, str]:
    """The settings as they were typed. UsageError for one without a value, and for one that is given twice
    with different values."""
    found: dict[str, str] = {}
    for word in params:
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals:
            raise UsageError(
                f"--param {word} has no value", "write --param key=value, such as --param scale_bits=50"
            )
        if found.get(key, value) != value:
            raise UsageError(
                f"--param {key} is given twice, as {found[key]} and {value}", f"give one value of {key}"
            )
        found[key] = value
    return found
