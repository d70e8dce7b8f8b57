"""An application that was read from a file of another form, with the data that came with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from numpy.typing import ArrayLike

from fheasible.aliases import Array
from fheasible.circuit.trace import App

Data = str | Path | Mapping[str, ArrayLike] | None


@dataclass(frozen=True, slots=True)
class Model:
    """The application, the inputs that it is judged on, and what they are. `data` is None where none were
    given."""

    app: App
    data: Mapping[str, Array] | None = None
    source: str = ""
