"""The report: the paper's figures and tables with ours beside them, then what goes beyond it [GKS25]."""

from fheasible.studies import cells_shown
from fheasible.studies.ckks_parameters import figures, tables
from fheasible.studies.ckks_parameters.experiments import EXPERIMENTS
from fheasible.studies.report import Chapter
from fheasible.studies.results import Results

_HOW = (
    "Lines are predicted for this machine, points are measured, and the dashed lines are what the paper's "
    "text gives. Times are CPU seconds of encryption, evaluation and decryption, as in the paper; 65,536 "
    "values take several ciphertexts, whereas the paper's times are those of one."
)


def chapters(results: Results) -> tuple[Chapter, ...]:
    drawn = figures.drawn
    return (
        Chapter("The degree of the square root: Figure 1", (_HOW, *drawn(figures.root(), results))),
        Chapter("Rings", (tables.rings(results),)),
        Chapter("Time: Figures 3 and 7", tuple(drawn(figures.times(), results))),
        Chapter("Time per value: Figures 4 and 8", tuple(drawn(figures.amortised(), results))),
        Chapter(
            "Precision: Figures 6 and 9", (*drawn(figures.precisions(), results), tables.plateaus(results))
        ),
        Chapter("Sizes: Tables 1 and 2", tuple(tables.sizes(results))),
        Chapter("Beyond the paper", tuple(drawn(figures.beyond(), results))),
        Chapter("What the paper states, and where it does not add up", (tables.printed(),)),
        *cells_shown.chapters(results, EXPERIMENTS),
    )
