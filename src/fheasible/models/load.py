"""Which files are models, and the application of one."""

from pathlib import Path

from fheasible.circuit.files import no_file
from fheasible.errors import UsageError
from fheasible.models.model import Data, Model

ENDINGS = (".onnx", ".blif")


def is_model(file: object) -> bool:
    """Whether that is the name of a file in ONNX or BLIF."""
    return isinstance(file, str | Path) and Path(file).suffix.lower() in ENDINGS


def needs_data(file: object) -> bool:
    """Whether that is the name of a model whose ranges follow from data."""
    return isinstance(file, str | Path) and Path(file).suffix.lower() == ".onnx"


def name_in(file: str | Path) -> str:
    """The name of the application in that file."""
    if Path(file).suffix.lower() == ".blif":
        return load_model(file).app.name
    from fheasible.models.onnx.naming import network_name

    return network_name(Path(file))


def load_model(file: str | Path, data: Data = None) -> Model:
    """The application in that file, with the data.

    UsageError where there is no such file, ExtraMissing without the package that reads it, CircuitError for
    what cannot be expressed, DataError for data that do not fit.
    """
    missing = no_file(file)
    if missing:
        raise UsageError(f"the model {file} {missing}", "give a file in ONNX or BLIF, such as model.onnx")
    if Path(file).suffix.lower() == ".blif":
        from fheasible.models.blif import load_blif

        return load_blif(Path(file), data)
    from fheasible.models.onnx.load import load_onnx

    return load_onnx(Path(file), data)
