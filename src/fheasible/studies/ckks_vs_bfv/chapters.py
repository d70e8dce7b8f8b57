"""The report: the paper's tables and figures with ours beside them."""

from collections.abc import Iterator

from fheasible.reports.page import Block, Caution, Folded
from fheasible.studies import cells_shown
from fheasible.studies.ckks_vs_bfv import figures, printed, tables
from fheasible.studies.ckks_vs_bfv.experiments import EXPERIMENTS
from fheasible.studies.ckks_vs_bfv.library_2020 import VERSION, measured_on
from fheasible.studies.ckks_vs_bfv.printed import FUNCTIONS, RATIOS
from fheasible.studies.ckks_vs_bfv.sets import NUMBERS
from fheasible.studies.published import Number
from fheasible.studies.report import Chapter
from fheasible.studies.results import Results

CAUTION = (
    "The sets are the paper's. All of them, with log2 QP of 107 to 880, are above what the guidelines "
    "of 2024 allow for 128 bits at their rings, so that they are run without a check of security. None "
    "is recommended."
)
_SETS = (
    "Table 1 names log2 N and log2 Q alone. These pairs are the limits of the standard of 2018, and "
    f"they name the default parameters of Lattigo {VERSION} (December 2019): PN12QP109, PN13QP218, "
    "PN14QP438, PN15QP880. What the paper calls Q is therefore QP, the special primes of key switching "
    "included. Its sizes confirm the chains: the 80 values of Tables 12 and 13 follow from the primes "
    "below. CKKS has as many primes as BFV at set 1 and up to twice as many beyond, because its primes "
    "are as small as its scale."
)
_TODAY = (
    f'"Lattigo {VERSION} here" is the library of the paper\'s time, run by benchmarks/lattigo_2020 on '
    f'{measured_on()}. "Measured" '
    "is today's version on the machine below. All times are CPU times of one thread, the least of all "
    "calls. Encoding and encryption have a common prediction (encode_encrypt), and so have decryption "
    "and decoding, because programs do both at once; switching to another key has none. Since the "
    "paper, Lattigo's BFV has become a form of its BGV: ciphertexts stay transformed, so that "
    "decryption needs no transform."
)
_SIZES = (
    "The paper speaks of a ratio of signal to noise. Its numbers are sizes: the lengths of all stored "
    "words of 64 bits, without leading zeros, are added up. A complex number counts 128 bits, a uniform "
    "whole number 63. A plaintext has N coefficients with one residue for each prime, and a uniform "
    "residue of a prime of k bits has k - 1 bits; BFV's plaintexts were counted with all k. CKKS's rows "
    "mix sets: the plaintexts of rows 1 to 4 are those of set 1, twice set 1, set 2, and twice set 2; "
    "the ciphertexts are half of set 3, set 3, half of set 4, and set 4; and the column of 128 numbers "
    "is that of 2048. With one set in every row the ratio of Table 13 is 2 in both schemes."
)

SHOWN = 2  # the set whose table of all libraries is not folded
_NOTES = {
    "encrypt": (
        'The benchmarks that come with Lattigo 1.3.0 have their labels the wrong way round: "Sk" runs the '
        'encryption by the public key, and "Pk" that by the secret key (ckks/ckks_benchmarks_test.go and '
        "bfv/bfv_benchmark_test.go). If the paper used them, Tables 4 and 5 are exchanged."
    ),
    "mul_scalar": (
        "The paper explains its times by constants: complex ones in CKKS, words of 64 bits in BFV. Both are "
        "one product for each coefficient and prime; CKKS has more primes in these sets."
    ),
}


def chapters(results: Results) -> tuple[Chapter, ...]:
    return (
        Chapter("The parameter sets", (_SETS, tables.sets(), Caution(CAUTION))),
        Chapter("Who is faster", (_TODAY, tables.overview(results))),
        *_functions(results),
        Chapter("Where CKKS has the primes of BFV", tuple(_alike(results))),
        Chapter("Sizes: Tables 12 and 13, Figures 11 and 12", tuple(_sizes(results))),
        Chapter("The noise itself", tuple(_noise(results))),
        Chapter("The same in every library", tuple(_libraries(results))),
        *cells_shown.chapters(results, EXPERIMENTS),
    )


def _functions(results: Results) -> Iterator[Chapter]:
    drawn = figures.functions(results)
    for function in FUNCTIONS:
        blocks: list[Block] = list(tables.of_function(results, function))
        if function in drawn:
            blocks.insert(1, drawn[function])
        if function == "decode" and (by_length := figures.decoding(results)) is not None:
            blocks.insert(2, by_length)
        heading = f"{printed.title(function)}: {printed.place(function)}"
        notes = filter(None, (_NOTES.get(function, ""), *_remarks(function)))
        yield Chapter(heading, (*notes, *blocks))


def _remarks(name: str) -> Iterator[str]:
    found: dict[str, Number] = {}  # the first number with each remark
    for n in printed.PUBLISHED.values():
        if n.remark and n.key.startswith(f"{name}."):
            found.setdefault(n.remark, n)
    for remark, number in found.items():
        yield f"{number.where}, {number.key.removeprefix(f'{name}.')}, {number.text}: {remark}."


def _alike(results: Results) -> Iterator[Block]:
    yield (
        "Here CKKS has the primes of BFV's sets. What is left of a difference belongs to the scheme; "
        "the rest belonged to the default sets."
    )
    yield tables.same_chain(results)


def _sizes(results: Results) -> Iterator[Block]:
    yield _SIZES
    yield from figures.ratios()
    for name in RATIOS:
        yield from _remarks(name)
        yield Folded(f"{printed.place(name)}, value by value", tables.redundancies(results, name))
    yield tables.stored_sizes(results)


def _noise(results: Results) -> Iterator[Block]:
    yield (
        "In CKKS noise costs precision: the table has -log2 of the largest error relative to the "
        "largest number. In BFV results are exact as long as a budget is left: the bits between the "
        "noise and a wrong decryption."
    )
    yield tables.noises(results)


def _libraries(results: Results) -> Iterator[Block]:
    yield (
        "SEAL takes the primes of the paper's Q with one special prime; it has no switching to another "
        "key. OpenFHE chooses primes itself: it is asked for as many of the paper's sizes, its special "
        "primes have 60 bits, and its BFV switches keys without special primes; it decrypts and decodes "
        "in one call. Where something was not run, the figure is the prediction."
    )
    yield tables.everywhere(results, SHOWN)
    yield from (Folded(f"Set {n}", tables.everywhere(results, n)) for n in NUMBERS if n != SHOWN)
