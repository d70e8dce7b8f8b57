"""Keeps what several explorations have in common once, by its digest."""

import json
import zlib
from typing import Any

from sqlalchemy import Connection, insert, select

from fheasible.aliases import Json
from fheasible.store.documents import Damaged, digest
from fheasible.store.schema import contents

OWN = ("seconds",)  # the parts of an exploration's content that differ from one call to the next
_SHARED = "shared"
_MARK = b"kept:"  # stands before the digest of rows; kept sets begin otherwise


def shared(connection: Connection, content: Json, rows: bytes) -> Json:
    """The columns `content` and `rows` of an exploration, with digests in place of what is kept once."""
    common = {name: value for name, value in content.items() if name not in OWN}
    text = json.dumps(common, sort_keys=True, separators=(",", ":"), allow_nan=False)
    own = {name: content[name] for name in OWN if name in content}
    return {
        "content": {_SHARED: _put(connection, zlib.compress(text.encode())), "own": own},
        "rows": _MARK + _put(connection, rows).encode(),
    }


def whole(connection: Connection, content: Any, rows: bytes) -> tuple[Any, Any]:
    """The two columns as they were before `shared`, with Damaged in place of what cannot be read.

    Older rows are whole already, and come back as they are.
    """
    if not isinstance(content, dict) or _SHARED not in content:
        return content, rows
    packed, table = _get(connection, content[_SHARED]), _get(connection, rows.removeprefix(_MARK).decode())
    if isinstance(packed, Damaged):
        return packed, table
    return json.loads(zlib.decompress(packed)) | content["own"], table


def digests(content: Any, rows: bytes) -> tuple[str, ...]:
    """The digests of what an exploration needs from this table; empty for an older row."""
    if not isinstance(content, dict) or _SHARED not in content:
        return ()
    return content[_SHARED], rows.removeprefix(_MARK).decode()


def _put(connection: Connection, data: bytes) -> str:
    name = digest(data)
    if connection.execute(select(contents.c.digest).where(contents.c.digest == name)).first() is None:
        connection.execute(insert(contents).values(digest=name, content=data))
    return name


def _get(connection: Connection, name: str) -> Any:
    found = connection.execute(select(contents.c.content).where(contents.c.digest == name)).scalar()
    if found is None or digest(found) != name:
        return Damaged("the content that it shares with others is missing or changed")
    return found
