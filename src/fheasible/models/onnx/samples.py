"""The calibration data of a network: samples of each of its inputs, from which the ranges follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.files import no_file
from fheasible.errors import DataError
from fheasible.models.model import Data

MOST_SAMPLES = 64  # that are followed through the network, for the ranges within it
NEEDED = (
    "give samples with --data calib.npy: an array whose rows are samples. The range of an input, and the "
    "intervals of activations, follow from them"
)


@dataclass(frozen=True, slots=True)
class Declared:
    """An input of the network: its name, and the shape of one sample, with a first dimension of 1."""

    name: str
    shape: tuple[int, ...]

    @property
    def elements(self) -> int:
        return prod(self.shape)


def samples(data: Data, inputs: Sequence[Declared]) -> dict[str, Array]:
    """The samples of each input, as (number, elements). DataError where there are none, or of another
    shape."""
    if data is None:
        raise DataError(f"the network's inputs {_names(inputs)} have no declared ranges", NEEDED)
    found = {i.name: _samples(array, i) for i, array in _arrays(data, inputs)}
    counts = {name: len(rows) for name, rows in found.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise DataError(f"the inputs have different numbers of samples: {told}", "give as many of each")
    return found


def said(data: Data, rows: Mapping[str, Array]) -> str:
    """Where the data come from, in words."""
    count = len(next(iter(rows.values())))
    place = str(data) if isinstance(data, str | Path) else "the given data"
    return f"sample 1 of {count} in {place}; ranges from all samples" if count > 1 else place


def _arrays(data: Data, inputs: Sequence[Declared]) -> list[tuple[Declared, Array]]:
    if isinstance(data, Mapping):
        there = {str(name): np.asarray(values) for name, values in data.items()}
    else:
        there = _read(Path(str(data)), inputs)
    missing = [i.name for i in inputs if i.name not in there]
    if missing:
        raise DataError(
            f"the data lack the input {missing[0]}; they have {', '.join(there) or 'nothing'}",
            f"give an array for each of {_names(inputs)}, in one .npz file",
        )
    return [(i, there[i.name]) for i in inputs]


def _read(file: Path, inputs: Sequence[Declared]) -> dict[str, Array]:
    missing = no_file(file)
    if missing:
        raise DataError(f"the data file {file} {missing}", NEEDED)
    if file.suffix.lower() not in (".npy", ".npz"):
        raise DataError(f"{file} is neither .npy nor .npz", NEEDED)
    try:
        loaded = np.load(file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            if len(inputs) == 1:
                return {inputs[0].name: loaded}
            raise DataError(
                f"{file} holds one array, but the network has the inputs {_names(inputs)}",
                "save one array for each input with numpy.savez, under its name",
            )
        with loaded:
            return {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{file} is not an array of numpy: {error}", "write it with numpy.save") from error


def _samples(array: Array, declared: Declared) -> Array:
    one = declared.shape[1:]
    if array.dtype.kind not in "biuf":
        raise DataError(f"the samples of {declared.name} are {array.dtype}, and no numbers", NEEDED)
    alone = array.shape in (one, declared.shape)
    rows = array.reshape(1, -1) if alone else array.reshape(len(array), -1) if array.ndim else array
    if not array.size or rows.ndim != 2 or rows.shape[1] != declared.elements:
        raise DataError(
            f"the samples of {declared.name} have the shape {array.shape}, but one sample is "
            f"{' x '.join(map(str, one)) or 'one number'}",
            f"give an array of shape (samples, {', '.join(map(str, one))})",
        )
    rows = rows.astype(np.float64)
    if not np.isfinite(rows).all():
        raise DataError(f"the samples of {declared.name} hold NaN or infinity", "leave those samples out")
    return rows


def _names(inputs: Sequence[Declared]) -> str:
    return ", ".join(i.name for i in inputs)
