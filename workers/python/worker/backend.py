"""What a library must offer so that a program can be executed over it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from worker.noise import Noise
from worker.request import Json, Plain, Program

if TYPE_CHECKING:  # which executes programs over a backend, too
    from worker.lookup_bench import LookupBench

Cipher = Any  # the library's own ciphertext
_CIPHER_ACTIONS = frozenset(("encrypt", "add", "sub", "neg", "mul", "square", "relinearize", "rotate"))
_PLAIN_ACTIONS = frozenset(("add_plain", "mul_plain", "add_scalar", "mul_scalar"))
EVERYWHERE = _CIPHER_ACTIONS | _PLAIN_ACTIONS
HOISTING = "rotate_hoisted"  # among the actions of a library whose rotations can share digits


@dataclass(frozen=True)
class Sizes:
    """Serialized bytes, uncompressed; None where the binding cannot say."""

    ciphertext: int | None
    public_key: int | None
    secret_key: int | None
    relinearization_key: int | None
    rotation_keys: int | None
    rotation_key_count: int
    bootstrap_keys: int | None = None  # of those that a bootstrap alone needs; None where there is none


class Switching(ABC):
    """CKKS slots compared by another scheme, with all keys; `bytes` is the memory that its making took."""

    bytes: int

    @abstractmethod
    def compare(self, x: Cipher, y: Cipher) -> Cipher:
        """1 in each slot where x < y, else 0."""

    @abstractmethod
    def minimum(self, x: Cipher) -> Any:
        """The least of all slots, and its place."""

    @abstractmethod
    def maximum(self, x: Cipher) -> Any: ...

    @abstractmethod
    def leave(self, x: Cipher) -> Any:
        """The slots as ciphertexts of the other scheme."""

    @abstractmethod
    def values(self, made: Any, decrypted: Callable[[Cipher], NDArray[Any]]) -> NDArray[Any]:
        """What a result stands for, in every slot; of the least or largest, it is repeated."""


class Tables(ABC):
    """A table that is looked up in a bootstrap, with all keys; `bytes` is the memory that its making took."""

    bytes: int

    @abstractmethod
    def encrypt(self, values: NDArray[Any]) -> Cipher:
        """Whole numbers from 0 to one less than the entries, from values of -1 to 1, at the lowest level."""

    @abstractmethod
    def look_up(self, x: Cipher) -> Cipher:
        """`angles`, `entries` and `decode` in one call."""

    @abstractmethod
    def angles(self, x: Cipher) -> Any:
        """What every table of this shape needs of x."""

    @abstractmethod
    def entries(self, angles: Any) -> Cipher:
        """The entries in the slots."""

    @abstractmethod
    def decode(self, x: Cipher) -> Cipher:
        """The slots as coefficients."""

    @abstractmethod
    def decrypt(self, x: Cipher) -> NDArray[Any]:
        """The entries of a result of `look_up` or `decode`."""

    @abstractmethod
    def key_bytes(self) -> int:
        """The file of the keys that are the bootstrap's own."""


class Backend(ABC):
    """One context of a library, with its keys once `keygen` has run.

    Every action is a method of that name; `level` is the level of its result. Operands are never
    changed. C++ exceptions pass through.
    """

    @abstractmethod
    def describe(self) -> Json:
        """The fields of `described`: what the library really runs with."""

    @abstractmethod
    def prepare(self, program: Program) -> None:
        """Whatever a user would set up once before evaluating: part of the context."""

    @abstractmethod
    def keygen(self) -> None:
        """Fresh keys, those that the program needs and no others."""

    @abstractmethod
    def stranger(self) -> Any:
        """A secret key that has nothing to do with the others."""

    @abstractmethod
    def secret(self) -> Any:
        """The secret key."""

    @abstractmethod
    def decrypt(self, x: Cipher, key: Any) -> NDArray[Any]:
        """The first `slots` slots."""

    @abstractmethod
    def sizes(self, sample: Cipher | None) -> Sizes: ...

    @abstractmethod
    def close(self) -> None:
        """Gives back whatever the library keeps between contexts."""

    def encrypt(self, values: NDArray[Any], level: int) -> Cipher:
        """A fresh ciphertext at that level, by the public key."""
        return self.encrypted(self.encode(values, level), level)

    @abstractmethod
    def add(self, x: Cipher, y: Cipher, level: int) -> Cipher: ...

    @abstractmethod
    def sub(self, x: Cipher, y: Cipher, level: int) -> Cipher: ...

    @abstractmethod
    def mul(self, x: Cipher, y: Cipher, level: int) -> Cipher: ...

    @abstractmethod
    def neg(self, x: Cipher, level: int) -> Cipher: ...

    @abstractmethod
    def square(self, x: Cipher, level: int) -> Cipher: ...

    @abstractmethod
    def relinearize(self, x: Cipher, level: int) -> Cipher: ...

    @abstractmethod
    def rotate(self, x: Cipher, steps: int, level: int) -> Cipher: ...

    @abstractmethod
    def add_plain(self, x: Cipher, plain: Plain, level: int) -> Cipher: ...

    @abstractmethod
    def mul_plain(self, x: Cipher, plain: Plain, level: int) -> Cipher: ...

    @abstractmethod
    def add_scalar(self, x: Cipher, plain: Plain, level: int) -> Cipher: ...

    @abstractmethod
    def mul_scalar(self, x: Cipher, plain: Plain, level: int) -> Cipher: ...

    def rescale(self, x: Cipher, level: int) -> Cipher:
        raise NotImplementedError  # `actions` of the library leaves it out where it is missing

    def drop(self, x: Cipher, level: int) -> Cipher:
        raise NotImplementedError

    def swap_rows(self, x: Cipher, level: int) -> Cipher:
        raise NotImplementedError

    def bootstrap(self, x: Cipher, level: int) -> Cipher:
        raise NotImplementedError

    def digits(self, x: Cipher) -> Any:
        """What rotations of `x` can share."""
        raise NotImplementedError

    def rotate_hoisted(self, x: Cipher, digits: Any, steps: int, level: int) -> Cipher:
        """`rotate` of `x`, whose digits are known."""
        raise NotImplementedError

    def noise(self, x: Cipher) -> Noise:
        """The invariant noise of a BFV or BGV ciphertext, under the secret key."""
        raise NotImplementedError

    # What `measure` alone needs. Where a method is missing, its operations are refused.

    def encode(self, values: NDArray[Any], level: int) -> Any:
        """A plaintext of the values, for a fresh ciphertext at that level."""
        raise NotImplementedError

    def encrypted(self, plain: Any, level: int) -> Cipher:
        """A fresh ciphertext at that level, by the public key."""
        raise NotImplementedError

    def encrypted_by_secret(self, plain: Any, level: int) -> Cipher:
        """A fresh ciphertext at that level, by the secret key."""
        raise NotImplementedError

    def decrypted(self, x: Cipher, key: Any) -> Any:
        """The plaintext of a ciphertext, not decoded."""
        raise NotImplementedError

    def decode(self, plain: Any) -> NDArray[Any]:
        """The first `slots` slots of a plaintext."""
        raise NotImplementedError

    def plain_size(self, plain: Any) -> int | None:
        """Serialized bytes of a plaintext; None where the binding cannot say."""
        return None

    def switching_key(self, key: Any) -> Any:
        """The key that turns ciphertexts of our secret key into those of `key`."""
        raise NotImplementedError

    def key_switch(self, x: Cipher, switching_key: Any) -> Cipher:
        raise NotImplementedError

    def key_maker(self) -> Any:
        """A fresh secret key, in the form that the methods below take."""
        raise NotImplementedError

    def make_secret(self) -> Any:
        raise NotImplementedError

    def make_pair(self) -> Any:
        """A secret key with its public key."""
        raise NotImplementedError

    def make_public(self, maker: Any) -> Any:
        raise NotImplementedError

    def make_relinearization(self, maker: Any) -> Any:
        raise NotImplementedError

    def make_rotation(self, maker: Any) -> Any:
        """The key of one rotation."""
        raise NotImplementedError

    def make_switching(self, maker: Any, other: Any) -> Any:
        """The key that turns ciphertexts of one fresh secret key into those of another."""
        raise NotImplementedError

    def switching(self) -> Switching:
        """Whatever scheme switching needs, made anew."""
        raise NotImplementedError

    def tables(self) -> Tables:
        """The table of the parameters' bootstrap, with its keys, made anew."""
        raise NotImplementedError

    def forget_made(self) -> None:
        """Lets go of what the library itself keeps of the keys that were made."""
        raise NotImplementedError


@dataclass(frozen=True)
class Library:
    """How the loop reaches a library."""

    greeting: Json  # hello, without its type and protocol
    actions: Callable[[str, bool], frozenset[str]]  # of (scheme, automatic)
    open: Callable[[Json], Backend]  # a context of these parameters
    object_to: Callable[[Program], None] = lambda program: None  # raises what else it cannot do right
    lacks: Callable[[str, bool], dict[str, str]] = lambda scheme, sparse: {}  # operations of `measure`: why
    others: Mapping[str, tuple[str, Callable[[Json, Callable[[str, int, int], None]], Json]]] = field(
        default_factory=dict
    )  # further requests: the type of the reply, and what makes its fields
    threads: Callable[[], int] = lambda: 1  # how many threads of this process execute a program
    lookups: "LookupBench | None" = None  # of a library that executes programs of table look-ups, too
