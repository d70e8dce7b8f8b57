"""The parameter sets of a file, whatever it is written in."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from fheasible.auditing import braces_code, python_code
from fheasible.auditing.forms import lattigo, openfhe, orion, seal
from fheasible.auditing.found import Found
from fheasible.errors import DataError

UNDERSTOOD: Final = (
    "what is understood: OpenFHE (C++, Python: CCParams), SEAL (C++, Python: EncryptionParameters), TenSEAL "
    "(ts.context), Lattigo (Go: ParametersLiteral) and Orion (YAML: ckks_params). Concrete chooses its "
    "parameters by itself when it compiles, so that its code has none"
)
LARGEST_BYTES: Final = 4 << 20  # a file of code is smaller


def _python(source: str, name: str) -> list[Found]:
    read = python_code.statements(source, name)
    return [*openfhe.read(read, "Python"), *seal.read(read, "Python")]


def _cpp(source: str, name: str) -> list[Found]:
    read = braces_code.statements(source, go=False)
    return [*openfhe.read(read, "C++"), *seal.read(read, "C++")]


def _go(source: str, name: str) -> list[Found]:
    return list(lattigo.read(braces_code.statements(source, go=True), "Go"))


def _yaml(source: str, name: str) -> list[Found]:
    return list(orion.read(source))


_READERS: Final[dict[str, Callable[[str, str], list[Found]]]] = {
    **dict.fromkeys((".py", ".pyi"), _python),
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".c++", ".h", ".hpp", ".hh", ".hxx", ".inl", ".ipp"), _cpp),
    ".go": _go,
    **dict.fromkeys((".yml", ".yaml"), _yaml),
}


def read(file: Path) -> list[Found]:
    """The file's parameter sets, in the order of their lines.

    DataError where the file cannot be read, or has no set that is understood.
    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise DataError(
            f"{file}: no parameter sets are read from a file ending in {file.suffix or 'nothing'!r}",
            f"give a file ending in {', '.join(_READERS)}; {UNDERSTOOD}",
        )
    found = sorted(reader(_text(file), str(file)), key=lambda f: f.line)
    if not found:
        raise DataError(f"{file} holds no parameter set that is understood", UNDERSTOOD)
    return found


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise DataError(f"{file} is larger than {LARGEST_BYTES >> 20} MiB", "give a file of code")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{file} is no text in UTF-8", "give a file of code or configuration") from None
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{file} cannot be read: {said}", "check the file's name") from None
