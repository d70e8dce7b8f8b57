"""The study of Tsuji and Oguchi, put together from its parts."""

from fheasible.studies.schemes_and_libraries.chapters import chapters
from fheasible.studies.schemes_and_libraries.claims import claims
from fheasible.studies.schemes_and_libraries.experiments import EXPERIMENTS
from fheasible.studies.schemes_and_libraries.printed import PUBLISHED
from fheasible.studies.schemes_and_libraries.summary import summary
from fheasible.studies.study import Study

SCHEMES_AND_LIBRARIES = Study(
    name="schemes-and-libraries",
    title="Schemes and libraries",
    paper="A. Tsuji, M. Oguchi, Comparison of FHE Schemes and Libraries for Efficient Cryptographic "
    "Processing",
    reference="TsuOgu24",
    experiments=EXPERIMENTS,
    published=PUBLISHED,
    claims=claims(),
    chapters=chapters,
    summary=summary,
)
