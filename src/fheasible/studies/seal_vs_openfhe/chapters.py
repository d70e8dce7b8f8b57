"""The report: the paper's table and figures with ours beside them, and what lies beyond them."""

from collections.abc import Iterator

from fheasible.reports.page import Block, Table
from fheasible.studies import cells_shown
from fheasible.studies.report import Chapter
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe import figures, platforms, tables
from fheasible.studies.seal_vs_openfhe.experiments import EXPERIMENTS, TITLES
from fheasible.studies.seal_vs_openfhe.printed import PUBLISHED

_UNCLEAR = (
    "The paper does not say in which ring the curves of Figures 2 to 5 are, how long its vectors are, its "
    "plaintext modulus, its versions, nor what its times include. Section 5.2 says that SEAL's BGV goes "
    "from 2^13 to 2^14 at depth 9; Table 2 has depth 7. CKKS is said to be generally slower than BGV, but "
    "SEAL under Windows takes 300 s against 530 s. Figures 2 to 9 are pictures: only the values of the "
    "text are here."
)
_WRITTEN = (
    "n additions add n + 1 different encrypted vectors of 4,096 elements, and n products multiply as "
    "many, so that nothing can be simplified: the program of each has exactly n operations of its kind. "
    "Products are computed in the order written. Times are CPU time on one thread, with encryption of all "
    "inputs and decryption."
)


def chapters(results: Results) -> tuple[Chapter, ...]:
    return (
        Chapter("The rings: Table 2", (_WRITTEN, tables.rings(results))),
        Chapter("The values of the text: Figures 2 to 9", (tables.figures(results), _UNCLEAR)),
        Chapter("Additions: Figures 2 to 5", tuple(_additions(results))),
        Chapter("Products: Figures 6 to 9", tuple(_products(results))),
        Chapter("Platforms", tuple(platforms.blocks(results, TITLES))),
        Chapter("Beyond the paper", tuple(_beyond(results))),
        Chapter("What the paper prints", (_printed(),)),
        *cells_shown.chapters(results, EXPERIMENTS),
    )


def _additions(results: Results) -> Iterator[Block]:
    yield from figures.drawn(results, "sums")
    yield (
        "The additions themselves take milliseconds. Nearly all of the time is the encryption of the "
        "inputs, and nearly all of the memory their ciphertexts: both are in proportion to the number of "
        "primes of a ciphertext."
    )
    yield tables.additions(results)


def _products(results: Results) -> Iterator[Block]:
    yield from figures.drawn(results, "products")
    yield tables.fastest(results)


def _beyond(results: Results) -> Iterator[Block]:
    yield (
        "Multiplied in pairs, 20 products need 5 levels instead of 20. The order of products matters more "
        "than the library."
    )
    yield tables.balanced(results)


def _printed() -> Table:
    rows = tuple((n.where, n.key, n.text, n.remark or None) for n in PUBLISHED.values())
    columns = ("where", "figure", "printed", "remark")
    return Table(columns, rows, left=columns)
