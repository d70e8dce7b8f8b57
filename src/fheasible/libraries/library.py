"""What Fheasible asks of a library: `Library`. All facts and answers are in the library's own folder.

A new library is a folder with one object of a subclass, a worker, and a line in `catalogue.py`. No fact has a
default, so that the type checker asks whoever adds a library for all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from fheasible.aliases import Flags, Floats, Ints, Json
from fheasible.errors import UsageError
from fheasible.libraries.block import Block, Sets
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.gates import Gates
from fheasible.libraries.layout import Cell, Layout, Task
from fheasible.libraries.parameters import IntegerParameters, Parameters, Request
from fheasible.libraries.working import WorkingMemory
from fheasible.program.style import SeriesDepth, Style
from fheasible.program.types import Action, Program
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.variant import Variant
from fheasible.security.tables import SIGMA, SecurityTable


class Resident(Protocol):
    """What a library keeps in memory, in limbs of 8n bytes.

    `over_time` lists the most limbs at each operation, and last at the decryption of results. `evaluation` is
    the largest of these figures; for a block it may be an array. `threads` execute the program; None leaves
    their number to the library. `working` says what each operation works in.
    """

    def context(self, program: Program, p: Sets) -> float: ...
    def keys(self, program: Program, p: Sets, switching_keys: int) -> float: ...
    def key_generation(self, p: Sets) -> float: ...
    def evaluation(self, program: Program, p: Sets, switching_keys: int, threads: int | None = 1) -> Any: ...
    def over_time(
        self, program: Program, p: Parameters, switching_keys: int, threads: int | None = 1
    ) -> list[float]: ...
    def working(self, program: Program, p: Parameters, switching_keys: int) -> WorkingMemory: ...


class Format(Protocol):
    """The bytes that a library writes for each kind of object; for a block, an array where primes matter."""

    def ciphertext(self, p: Sets, limbs: int, polys: int = 2) -> Any: ...
    def public_key(self, p: Sets) -> Any: ...
    def secret_key(self, p: Sets) -> Any: ...
    def relinearization_key(self, p: Sets) -> Any: ...
    def rotation_keys(self, p: Sets, keys: int) -> Any: ...
    def bootstrap_key_count(self, p: Parameters, rotations: frozenset[int]) -> int:
        """How many keys a bootstrap adds to those of these rotations, its relinearisation key not counted."""

    def bootstrap_keys(self, p: Parameters, rotations: frozenset[int], relinearizes: bool) -> int:
        """The bytes that a bootstrap adds to the files of these rotations' keys and of relinearisation."""

    def seeded_ciphertext(self, p: Sets, limbs: int) -> int | None: ...
    def seeded_keys(self, p: Sets, relinearizes: bool, rotations: int) -> int | None: ...


class Operations(Protocol):
    """How a library does each operation."""

    def variant(self, p: Any) -> Variant:
        """Its choices among the published algorithms. All sets of a block share them."""


class Cells(Protocol):
    """Which cell of counts an operation has, and the counts of a cell."""

    def cell(self, layout: Layout, task: Task, action: str) -> Cell:
        """The cell of a task, whose action is counted as `action`."""

    def counted(self, of: Cell) -> Mapping[str, int]:
        """Kernel counts of a cell by name, in limbs of n coefficients, with `peak_limbs` and `operand_limbs`.

        UnsupportedOperation for what the library does not have.
        """

    def parameters(self, of: Cell) -> Parameters:
        """Parameters that have this cell; other parameters may have it as well."""

    def layouts(self, scheme: str, limbs: int) -> Iterator[Layout]:
        """Every layout of `limbs` limbs that the table of counts covers."""

    def variations(self, of: Cell) -> Iterator[Cell]:
        """The cell with each other value that its `own` may have, for the table of counts."""


class OwnPrimes(Protocol):
    """How a library chooses special primes and digits by itself, for many sets at once as (prime, set)."""

    SPECIAL_BITS: int  # the bits of every prime of P
    EXTENDED_BITS: int  # the bits of the limb that fresh values have beyond a program's levels

    def digits_for(self, digits: int | None, depth: int) -> int: ...
    def distributed(self, limbs: int, digits: int) -> tuple[Ints, int]: ...
    def foreseen_special_limbs(self, bits: Ints, digits: int) -> Ints: ...
    def special_limbs(self, digit_bits: Ints) -> Ints: ...


class Setting(NamedTuple):
    """The settings that are varied where a library chooses the primes of BGV and BFV by itself.

    `many` is the number of additions, and also of key switches, that a level must allow.
    """

    technique: str | None
    key_switching: str
    digits: int | None
    many: int | None
    limb_bits: int | None


class BootstrapSetting(NamedTuple):
    """What a user sets for a chain with a bootstrap, but for the levels that it leaves. Bits are log2 of a
    prime; `special` counts special primes of a program's own operations, where the user chooses them."""

    technique: str | None
    secret: str
    scale_bits: int
    first_bits: int
    asked: BootstrapRequest
    digits: int | None = None
    special: int | None = None


class Parallelism(StrEnum):
    """What several threads of a library's worker do at the same time."""

    NONE = "none"
    LIMBS = "limbs"  # the limbs of one operation
    OPERATIONS = "operations"  # operations that do not need each other, each of them in one thread


@dataclass(frozen=True, slots=True)
class Threading:
    """What several threads gain with a library, and why not more.

    `by_default`: how many threads it uses where nobody sets a number; None for one on each core. `limits` is
    a sentence on what its threads cannot do.
    """

    parallelism: Parallelism
    by_default: int | None
    limits: str

    def used(self, asked: int | None, cores: int) -> int:
        """The number of threads that execute a program where `asked` are asked for; None is the default."""
        if self.parallelism is Parallelism.NONE:
            return 1
        return asked if asked is not None else self.by_default or cores


@dataclass(frozen=True, slots=True)
class WorkerSource:
    """What a worker is made from.

    `python` is the Python version that the library's package is built for; None where Fheasible's will do.
    `shared`: a worker in Python that uses the packages of Fheasible's environment and has no lock of its own.
    """

    language: str  # "python" | "go" | "node" | "rust", or "added" for a worker that the user has built
    python: tuple[int, int] | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Bare:
    """Bytes of a process that has loaded the library, and bytes of a context beyond those that are counted.

    They hold on x86-64 Linux, and are used where nothing was measured. `reads_inputs_first` says whether
    inputs and the program are in memory before the context is made.
    """

    baseline_bytes: float
    fixed_bytes: float
    reads_inputs_first: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Library(ABC):
    """One library: its facts, and what it makes of requests, operations and programs."""

    # -- what it is
    name: str
    title: str  # the name as the library writes it
    build_of: str  # the library of which it is another build, with the same rules and counts; "" for most
    version: str
    schemes: tuple[str, ...]
    techniques: tuple[str, ...]  # its techniques of rescaling; only "" where it has a single one
    worker: WorkerSource
    threading: Threading

    # -- security
    security_table: SecurityTable  # the limits that its parameters must keep
    compares_bits: bool  # whether it compares the bits of the integer QP with the table, and not log2 QP
    key_sigma: float  # the standard deviation of the errors of its switching keys
    leaks: str  # why its CKKS results reveal the key to whoever sees them; "" where it can flood their noise
    flooding_scale_bits: int | None  # the bits of the scale that it uses where it floods noise

    # -- what a user may choose
    largest_ring: int  # the largest ring dimension that is explored
    own_primes: OwnPrimes | None  # None where its user gives it the primes' bits
    largest_special_bits: int | None  # of a special prime; None where the library chooses its size
    most_special: int  # the most special primes that are explored, where the user chooses their number
    digit_choices: tuple[int, ...]  # numbers of digits that are explored, where the user chooses
    usual_digits: tuple[int, ...]  # numbers of digits with which accuracy is judged

    # -- how it encodes and decrypts
    encoding: float  # measured error of a slot by transforms in doubles, in units of `noise/doubles.py`
    decoding: float  # the same for decoding
    floods: bool  # CKKS: decryption estimates the noise, adds as much again, and refuses too much of it
    ignores_far_copies: bool  # its worker leaves out copies of a short vector that are far from the others
    encodes_at_degree_one: bool  # a plain summand of a value of degree 2 is encoded at the scale of degree 1
    refuses_scales: bool  # CKKS: whether it refuses scales as large as the modulus that is left
    refused_zeros: tuple[Action, ...]  # CKKS: which operations refuse plain numbers that round to zero
    narrows: bool  # BFV multiplies and rotates in as few limbs as the noise allows
    switching_levels: int | None  # CKKS: that a comparison by FHEW takes; None where it switches to no scheme
    bootstrap_method: Method | None  # CKKS: its way of bootstrapping; None where it has none
    encrypts_above: bool = False  # CKKS: whether fresh values may have the levels that a bootstrap uses up
    gates: Gates | None = None  # its bootstraps of bits and small integers; None where it has none
    looks_up: bool = False  # CKKS: whether a bootstrap can look a table up

    # -- memory and files
    hoists: bool  # rotations of one value can share digits, in every scheme
    bare: Bare
    resident: Resident
    files: Format
    sizes_by_primes: bool  # whether the lengths of files depend on the values of primes
    decodes_by_integers: bool  # CKKS: results of several limbs are decoded by integers as long as the primes
    reduces_by_special: bool  # whether the size of P's primes decides how often sums are reduced
    memory_by_primes: tuple[str, ...]  # schemes whose memory depends on the values of primes

    # -- how its operations are counted
    operations: Operations
    cells: Cells
    counted_by: tuple[str, ...]  # the files of its folder that decide its counts

    # -- from requests to parameters -----------------------------------------------------------------

    @abstractmethod
    def parameters(self, request: Request) -> Parameters:
        """The parameters that the library runs with.

        InfeasibleParameters where it refuses, UsageError for what it does not have.
        """

    @abstractmethod
    def worker_parameters(self, p: Parameters) -> Json:
        """The `parameters` of the worker's protocol."""

    @abstractmethod
    def own_style(self, scheme: str, technique: str | None) -> Style:
        """How its programs of that scheme are written, without the library's own sums and series."""

    @abstractmethod
    def series_depth(self, style: Style) -> SeriesDepth | None:
        """The levels that its own Chebyshev series takes, as a function of degree and interval.

        None where it has no sums and series of its own.
        """

    @abstractmethod
    def switchings(self, scheme: str) -> tuple[str, ...]:
        """The kinds of key switching that a user may choose, the library's default first."""

    @abstractmethod
    def integer_settings(self, scheme: str) -> Iterator[Setting]:
        """The settings of BGV and BFV that are explored; none unless the library chooses primes by itself."""

    @abstractmethod
    def chain_settings(self, scheme: str, limbs: int) -> Mapping[str, Any]:
        """The fields of a calibration's request for a chain of `limbs` limbs, without a security level."""

    @abstractmethod
    def bootstrap_settings(self) -> Iterator[BootstrapSetting]:
        """The settings of sets with a bootstrap that are explored; none without bootstrapping."""

    @abstractmethod
    def limbs_per_digit(self, p: Sets) -> int:
        """How many limbs a digit of key switching has; the last digit may have fewer."""

    @abstractmethod
    def digits(self, limbs: int, special: int, asked: int | None, depth: int) -> int:
        """How many digits key switching has at the top of a chain."""

    # -- what operations are -------------------------------------------------------------------------

    @abstractmethod
    def encoded(self, scheme: str, n: int, slots: int) -> tuple[int, int]:
        """(number of slots that are embedded, number of coefficients that are then not 0), for a vector of
        `slots` slots."""

    @abstractmethod
    def depends_on_depth(self, scheme: str) -> bool:
        """Whether an operation's count depends on how many products come before it."""

    @abstractmethod
    def special_bits(self, p: Parameters) -> int:
        """The bits of P's largest prime, where counts depend on it; else 1."""

    @abstractmethod
    def deciding_special_bits(self, largest: Floats, limbs: int, special: int) -> Ints:
        """The bits of each P's largest prime, as far as they decide how often sums are reduced, else 0."""

    @abstractmethod
    def memory_classes(self, block: Block) -> Ints:
        """A number for each set; sets with the same number need the same memory."""

    @abstractmethod
    def sum_steps(self, p: Sets) -> Sequence[int]:
        """The rotations that the library's own sum of all slots takes."""

    def bootstrap_method_for(self, procedure: Procedure, technique: str) -> Method:
        """Its way of bootstrapping, for such a procedure and technique."""
        assert self.bootstrap_method is not None
        return self.bootstrap_method

    @abstractmethod
    def least_bootstrap_level(self, iterations: int) -> int:
        """The lowest level of a value that a bootstrap of so many iterations takes."""

    def levels_above(self, p: Parameters) -> int:
        """How many levels fresh values of a set may have beyond those that its bootstrap leaves."""
        own = p.bootstrap if p.scheme == "ckks" and self.encrypts_above else None
        return 0 if own is None else len(own.q) - 1 - p.levels

    # -- noise ---------------------------------------------------------------------------------------

    @abstractmethod
    def has_plain_factors(self, scheme: str) -> bool:
        """Whether its plaintexts carry factors that division by a prime leaves."""

    @abstractmethod
    def has_plain_scales(self, scheme: str) -> bool:
        """Whether it multiplies plain numbers by the scale of a level."""

    @abstractmethod
    def plain_scales(self, p: IntegerParameters) -> tuple[int, ...]:
        """The number that plain numbers are multiplied by, for each level."""

    @abstractmethod
    def kept_limbs(self, p: IntegerParameters, depth: int, switching: bool) -> int:
        """BFV: the number of limbs in which a product, or with `switching` a rotation, is computed after
        `depth` successive products."""

    @abstractmethod
    def scale_room_bits(
        self, log2_scale: Floats, log2_modulus: Floats, encoded: Flags, log2_largest: Floats
    ) -> Floats:
        """How many bits larger CKKS scales could be before the library refuses them at a modulus.

        Below 0 it refuses them; it is infinite unless the library `refuses_scales`. `encoded` says whether a
        vector is encoded at the scale; `log2_largest` is the log2 of its largest coefficient at the scale 1.
        """

    # -- what follows from these ---------------------------------------------------------------------

    @property
    def family(self) -> str:
        """The name that tables of counts and of security go by: its own, or that of which it is a build."""
        return self.build_of or self.name

    def named(self, p: Parameters) -> Parameters:
        """Parameters that the library's rules have made, with its name where it is another build."""
        return replace(p, library=self.name) if self.build_of else p

    @property
    def varies(self) -> str:
        """What its user may vary in hybrid key switching: "special primes", "digits", or "" for nothing."""
        return "digits" if self.digit_choices else "special primes" if self.most_special > 1 else ""

    def style(self, scheme: str, technique: str | None, composites: bool = False) -> Style:
        """How its programs of that scheme are written.

        With `composites` they use the library's own sums and series; UsageError where it has none here.
        """
        style = self.own_style(scheme, technique)
        if not composites:
            return style
        depth = self.series_depth(style)
        if depth is None:
            raise UsageError(
                f"{self.name} {style.scheme.upper()} has no composites that can be used here",
                "leave --composites out, or take a CKKS technique that aligns operands by itself",
            )
        return replace(style, series_depth=depth)

    def key_switchings(self) -> tuple[tuple[int | None, int | None], ...]:
        """(digits, special primes) that are explored; None is the library's default."""
        if self.digit_choices:
            return tuple((digits, None) for digits in self.digit_choices)
        if self.most_special > 1:
            return tuple((None, special) for special in range(1, self.most_special + 1))
        return ((None, None),)

    def narrowest_error(self, switches_keys: bool) -> float:
        """The least standard deviation of the errors that an attacker sees, of ciphertexts or of keys."""
        return min(SIGMA, self.key_sigma) if switches_keys else SIGMA
