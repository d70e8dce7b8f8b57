"""The memory that each operation of a program works in, as each library tells it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_NONE: Mapping[str, int] = MappingProxyType({})


class Working(NamedTuple):
    """The memory of one operation beside its operands, in limbs of 8n bytes.

    `result` and `temporary` are the sizes of the buffers that it takes; those of the result stay with the
    value. `written` are the limbs that it writes of each buffer that the library keeps, and `read` those that
    it reads of tables, by name. `collects` says whether memory that was given back can be taken again after
    the operation; it cannot until garbage is collected.
    """

    result: tuple[int, ...]
    temporary: tuple[int, ...]
    written: Mapping[str, int] = _NONE
    read: Mapping[str, int] = _NONE
    collects: bool = True


class WorkingMemory(NamedTuple):
    """The memory of each operation of a program in order, and then of the decryption of each result.

    `lowest_first`: free memory at the lowest address is taken first, and not what was given back last.
    """

    operations: tuple[Working, ...]
    decryptions: tuple[Working, ...]
    lowest_first: bool = False
