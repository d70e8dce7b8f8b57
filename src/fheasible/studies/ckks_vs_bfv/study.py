"""The study of CKKS against BFV, put together from its parts."""

from fheasible.studies.ckks_vs_bfv.chapters import CAUTION, chapters
from fheasible.studies.ckks_vs_bfv.claims import CLAIMS
from fheasible.studies.ckks_vs_bfv.experiments import EXPERIMENTS
from fheasible.studies.ckks_vs_bfv.printed import PUBLISHED
from fheasible.studies.ckks_vs_bfv.summary import summary
from fheasible.studies.study import Study

CKKS_VS_BFV = Study(
    name="ckks-vs-bfv",
    title="CKKS against BFV",
    paper=(
        "M. Babenko, E. Golimblevskaia, E. Shiriaev, Comparative Analysis of Homomorphic Encryption "
        "Algorithms Based on Learning with Errors, Trudy ISP RAN 32(2), 2020"
    ),
    reference="BabGS20",
    experiments=EXPERIMENTS,
    published=PUBLISHED,
    claims=CLAIMS,
    chapters=chapters,
    summary=summary,
    caution=CAUTION,
)
