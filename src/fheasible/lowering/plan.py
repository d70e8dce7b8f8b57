"""The loop packing -> depth -> N -> slots -> packing, iterated to a fixed point."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache

from fheasible.circuit.balance import fewer_as_written
from fheasible.circuit.node import Circuit, Op
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.parameters import Parameters
from fheasible.lowering.hoisting import hoisted
from fheasible.lowering.joined import joinable, joined
from fheasible.lowering.lower import GrownProgram, budgetless, grown, normal_form
from fheasible.lowering.matrix_products import forms, short_slots
from fheasible.lowering.packing import chunks_of
from fheasible.program.schedule import product_depths
from fheasible.program.style import Layout, Style
from fheasible.program.types import Action, Program

SPARES = (0, 1, 2)  # numbers of levels that results may keep
_GUESS = 1 << 14  # where the search for a ring begins
_MOST_CHUNKS = 16  # ciphertexts of all products of two matrices, for these to be compared with shorter forms


class Lowerings:
    """The programs of one circuit, each made once: they depend on the style and the slots alone."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._normal: dict[bool, Circuit] = {}
        self._shorter: dict[bool, tuple[Circuit, ...]] = {}  # with shorter products of matrices
        self._joined: dict[Layout, Circuit | None] = {}  # with inputs that share ciphertexts
        self._normal_joined: dict[tuple[Layout, bool], Circuit | None] = {}
        self._programs: dict[tuple[Style, int, bool], Program] = {}
        self._grown: dict[tuple[Style, int, bool], GrownProgram] = {}
        self._failed: dict[tuple[Style, int, bool], InfeasibleParameters] = {}  # with too few levels

    def program(self, style: Style, ring_dimension: int, slots: int | None = None) -> Program:
        """The program for that ring. A vector that leaves slots free is packed the same in any ring.

        No vector fills more than `slots`, a power of two; a longer vector takes more ciphertexts.
        """
        usual = self._lowered(style, self._capacity(style, ring_dimension))
        if slots is None or slots >= usual.slots:
            return usual
        return self._lowered(style, slots, repeated=style.exact)  # in CKKS as in a smaller ring

    def above_needed(self, style: Style, ring_dimension: int, slots: int | None = None) -> int:
        """The levels beyond those after a bootstrap that fresh inputs of CKKS need, to save as many
        bootstraps as they can with the style's budget; 0 where they save none, or where no bootstrap would be
        left."""
        return self._grown_as(style, ring_dimension, slots).above_needed(style)

    def bootstraps(
        self, style: Style, ring_dimension: int, slots: int | None = None, at_once: bool = False
    ) -> int:
        """The number of bootstraps of the program of CKKS, without making it; 0 where there is no such
        program. `at_once`: a number that is enough will do, since the fewest may take long to find."""
        return self._grown_as(style, ring_dimension, slots).bootstraps(style, at_once)

    def switches(self, style: Style, ring_dimension: int, slots: int | None = None) -> int:
        """The number of operations of the program of CKKS that switch keys, beside its bootstraps."""
        return self._grown_as(style, ring_dimension, slots).switches

    def _grown_as(self, style: Style, ring_dimension: int, slots: int | None) -> GrownProgram:
        """What `program` finishes."""
        style = style if self._linear else replace(style, hoists=False)  # as programs share it
        usual = self._grown_for(style, self._capacity(style, ring_dimension))
        return usual if slots is None or slots >= usual.build.slots else self._grown_for(style, slots)

    def _capacity(self, style: Style, ring_dimension: int) -> int:
        """The slots of the ring, or as many as are twice enough: beyond that, nothing changes."""
        laid_out = self._laid_out(style)
        longest = max(n.length for n in laid_out.nodes()) if laid_out else self._longest
        return min(style.slots_of(ring_dimension), 2 << (longest - 1).bit_length())

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """How inputs may lie in ciphertexts: joined, too, where several short ones are equally long."""
        others = (Layout.SIDE_BY_SIDE, Layout.BY_ROW) if joinable(self.circuit) else ()
        return (Layout.BY_COLUMN, *(each for each in others if self._join(each)))

    def _join(self, layout: Layout) -> Circuit | None:
        if layout not in self._joined:
            self._joined[layout] = joined(self.circuit, layout)
        return self._joined[layout]

    def joins_in(self, slots: int) -> bool:
        """Whether two inputs that can be joined fit into one ciphertext of so many slots."""
        groups = joinable(self.circuit) if len(self.layouts) > 1 else ()
        return any(2 * group[0].length <= slots for group in groups)

    def _laid_out(self, style: Style) -> Circuit | None:
        """The circuit in normal form with inputs joined as the style says; None where it joins none."""
        key = style.layout, style.as_written
        if key not in self._normal_joined:
            found = None if style.layout is Layout.BY_COLUMN else self._join(style.layout)
            least = self.circuit.minimise_depth and not style.as_written
            self._normal_joined[key] = found and normal_form(replace(found, minimise_depth=least))
        return self._normal_joined[key]

    def normal(self, as_written: bool = False) -> Circuit:
        """The circuit in normal form, made once for all programs.

        It has the least depth, unless the circuit or `as_written` asks for the order as written.
        """
        least = self.circuit.minimise_depth and not as_written
        if least not in self._normal:
            self._normal[least] = normal_form(replace(self.circuit, minimise_depth=least))
        return self._normal[least]

    @cached_property
    def orders(self) -> tuple[bool, ...]:
        """The orders of products that are worth trying, as values of `as_written`.

        The order of least depth is tried always; the order as written only where it has fewer products.
        """
        both = self.circuit.minimise_depth and fewer_as_written(self.circuit, self.normal())
        return (False, True) if both else (False,)

    @cached_property
    def _linear(self) -> bool:
        return any(n.op is Op.LINEAR for n in self.circuit.nodes())

    def _lowered(self, style: Style, slots: int, repeated: bool = False) -> Program:
        """The program for that style and number of slots, made once.

        Styles that differ in hoisting alone share a program that has nothing to hoist. Circuits with plain
        matrices are lowered for each, since matrices take other steps where rotations are hoisted.
        """
        key = (style, slots, repeated)
        if key not in self._programs:
            shared = style.hoists and not self._linear
            alone = self._lowered(replace(style, hoists=False), slots, repeated) if shared else None
            self._programs[key] = hoisted(alone) if alone else self._made(style, slots, repeated)
        return self._programs[key]

    def _made(self, style: Style, slots: int, repeated: bool) -> Program:
        """The program; what all budgets of levels and numbers of spare levels share is grown once."""
        failed = self._failed.get((style, slots, repeated))
        if failed is not None:
            raise InfeasibleParameters(failed.message, failed.remedy)
        try:
            return self._grown_for(style, slots, repeated).program(style)
        except InfeasibleParameters as error:
            self._failed[style, slots, repeated] = InfeasibleParameters(error.message, error.remedy)
            raise

    def _grown_for(self, style: Style, slots: int, repeated: bool = False) -> GrownProgram:
        """What the programs of all budgets of levels share."""
        key = (budgetless(style), slots, repeated)
        if key not in self._grown:
            laid_out = self._laid_out(style)
            forms = (laid_out,) if laid_out else self._forms(style.as_written, slots)
            made = (grown(form, key[0], slots, repeated) for form in forms)
            shallow = slots <= (self._short or 0)
            self._grown[key] = min(made, key=lambda g: (g.levels * shallow, g.cost))
        return self._grown[key]

    @property
    def packings(self) -> tuple[int | None, ...]:
        """The slots to walk: as many as there are, and for products of encrypted matrices also as few as
        their short forms fill, where programs are as little deep as they can be."""
        return (None,) if self._short is None else (None, self._short)

    @cached_property
    def _short(self) -> int | None:
        return short_slots(self._written)

    @cached_property
    def _written(self) -> tuple[Circuit, ...]:
        """The circuit, and with products of encrypted matrices in other forms."""
        return forms(self.circuit)

    def _forms(self, as_written: bool, slots: int) -> tuple[Circuit, ...]:
        """The circuits in normal form whose programs are compared for that many slots.

        A circuit as traced has all products of elements of two matrices in one vector: the one to take where
        a ciphertext holds that, and none to try where it takes many ciphertexts.
        """
        whole = (self.normal(as_written),)
        few = chunks_of(self._longest, slots) <= _MOST_CHUNKS
        _, *shorter = self._written
        if not shorter or slots >= self._longest or (few and self._short is None):
            return whole
        if as_written not in self._shorter:
            least = self.circuit.minimise_depth and not as_written
            others = (replace(form, minimise_depth=least) for form in shorter)
            self._shorter[as_written] = tuple(map(normal_form, others))
        return (*(whole if few else ()), *self._shorter[as_written])

    @cached_property
    def _longest(self) -> int:
        return max(n.length for n in self.circuit.nodes())


def plan(
    lowerings: Lowerings,
    style: Style,
    parameters: Callable[[int, int | None], Parameters],
    ring_dimension: int | None = None,
    slots: int | None = None,
) -> tuple[Program, Parameters]:
    """A program and the parameters that it fits, for the same ring.

    `parameters(depth, ring_dimension)` asks the library, which picks the ring itself for None. No more than
    `slots` slots are used. Raises what `parameters` raises, above all InfeasibleParameters.
    """
    tried: set[int] = set()
    n = ring_dimension or _GUESS
    while True:
        program = lowerings.program(style, n, slots)
        forced = ring_dimension if ring_dimension or n not in tried else n
        found = parameters(depth_of(program, style), forced)
        if found.ring_dimension == n:
            return program, found
        tried.add(n)
        n = max(found.ring_dimension, *tried) if found.ring_dimension in tried else found.ring_dimension


def depth_of(program: Program, style: Style) -> int:
    """The depth that the program needs, for `Request.depth`."""
    return program.levels if style.leveled else _noise_depth(program)


@lru_cache(maxsize=1024)
def _noise_depth(program: Program) -> int:
    """The number of products that leave as much noise as the program; OpenFHE sizes BFV's modulus by it.

    A product with a plain vector counts half, and key switching needs the room of one product.
    """
    halves: dict[int, int] = {}
    for o in program.operations:
        own = {Action.MUL: 2, Action.SQUARE: 2, Action.MUL_PLAIN: 1}.get(o.action, 0)
        halves[o.out] = max((halves[a] for a in o.args), default=0) + own
    deepest = -(-max(halves.values(), default=0) // 2)
    return max(deepest, int(program.switches_keys))


def multiplicative_depth(program: Program) -> int:
    """The number of successive products along the program's longest path (BFV's depth)."""
    return max(product_depths(program).values(), default=0)
