"""The study of the guide to CKKS parameters, put together from its parts."""

from fheasible.studies.ckks_parameters import claims_precision, claims_rings, claims_sizes, claims_times
from fheasible.studies.ckks_parameters.chapters import chapters
from fheasible.studies.ckks_parameters.experiments import EXPERIMENTS
from fheasible.studies.ckks_parameters.printed import PUBLISHED
from fheasible.studies.ckks_parameters.summary import summary
from fheasible.studies.study import Study

CKKS_PARAMETERS = Study(
    name="ckks-parameters",
    title="Choosing CKKS parameters",
    paper="M. Gharibyar, C. Krüger, D. Schoop, A Comprehensive Guide to CKKS Parameter Selection, 2025",
    reference="GKS25",
    experiments=EXPERIMENTS,
    published=PUBLISHED,
    claims=(
        *claims_rings.claims(),
        *claims_times.claims(),
        *claims_precision.claims(),
        *claims_sizes.claims(),
    ),
    chapters=chapters,
    summary=summary,
)
