"""JSON columns that are compressed where they are long, and read without an error where they are damaged."""

import json
import zlib
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import JSON, Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

LONG = 2048  # bytes from which compression pays
_COMPRESSED = b"\x78"  # zlib's streams begin with it, and no JSON text does


@dataclass(frozen=True, slots=True)
class Damaged:
    """A stand-in for a value that cannot be read, with the reason."""

    why: str


class _AsItIs(UserDefinedType[Any]):
    """A column declared JSON, in which SQLite keeps text and bytes."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "JSON"


class Document(TypeDecorator[Any]):
    """A JSON value; None is NULL.

    SQLite keeps it as text, or compressed from `LONG` bytes on where `compressed` says so. Other databases
    keep it as their own JSON.
    """

    impl = JSON
    cache_ok = True

    def __init__(self, compressed: bool = False) -> None:
        super().__init__(none_as_null=True)
        self.compressed = compressed

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return _AsItIs() if dialect.name == "sqlite" else JSON(none_as_null=True)

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        return zlib.compress(text.encode()) if self.compressed and len(text) >= LONG else text

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        try:
            return json.loads(_text(value))
        except (ValueError, zlib.error, RecursionError) as error:
            return Damaged(f"the stored text is not JSON: {error}")


def _text(value: str | bytes) -> str | bytes:
    if isinstance(value, bytes) and value[:1] == _COMPRESSED:
        return zlib.decompress(value)
    return value


def checksum(row: dict[str, Any]) -> str:
    """32 hexadecimal digits of SHA-256 over the row's columns by name; a digest stands for bytes."""
    told = {name: digest(value) if isinstance(value, bytes) else value for name, value in row.items()}
    return digest(json.dumps(told, sort_keys=True, separators=(",", ":")).encode())


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]
