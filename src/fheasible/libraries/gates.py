"""What is asked of a library that bootstraps bits and small integers one by one: sets, work, keys, memory."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

KEYGEN, GATE = "binfhe_keygen", "binfhe_gate"
SECRET, ENCRYPT, DECRYPT = "binfhe_secret", "binfhe_encrypt", "binfhe_decrypt"
OPERATIONS: Mapping[str, str] = {
    KEYGEN: "the secret key, and the keys of a bootstrap",
    SECRET: "the secret key alone",
    ENCRYPT: "a bit, by the secret key",
    DECRYPT: "a ciphertext to a bit",
    GATE: "NAND of two bits",
    "binfhe_negacyclic": "a function with f(x + p/2) = -f(x) of a number",
    "binfhe_function": "any function of a number",
    "binfhe_floor": "a number without its lowest 3 bits",
    "binfhe_sign": "whether a large number is in the upper half",
}
PREFIX = "binfhe_"


class GateSet(Protocol):
    """A set: its name, the dimension of LWE, and of the ring, and the bytes of a residue."""

    @property
    def name(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def ring(self) -> int: ...
    @property
    def word(self) -> int: ...
    @property
    def log_q(self) -> int | None: ...
    @property
    def arbitrary(self) -> bool: ...


class Gates(Protocol):
    """`GateSet` is the library's own type in all of these."""

    def bin_set(self, name: str, method: str, log_q: int | None, arbitrary: bool) -> Any:
        """UnknownName, UsageError or InfeasibleParameters where the library has no such set."""

    def lacking(self, of: Any, operation: str) -> str:
        """Why the set has not that operation; empty where it has."""

    def work(self, of: Any, method: str, operation: str) -> Counter[str]:
        """Kernel counts of an operation."""

    def key_bytes(self, of: Any, method: str) -> int:
        """The bytes of a file of the bootstrapping and the key-switching key."""

    def memory_bytes(self, of: Any, method: str) -> int:
        """The resident bytes of keys and context."""

    def ciphertext_bytes(self, of: Any) -> int: ...
    def secret_bytes(self, of: Any) -> int: ...


def priced(of: GateSet, kernel: str) -> str:
    """The name by which a kernel has a price: prices depend on the bytes of a word."""
    return f"{kernel}/{of.word}"
