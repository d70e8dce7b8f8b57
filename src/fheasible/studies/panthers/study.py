"""The study of PAnTHErS, put together from its parts."""

from fheasible.studies.panthers.chapters import chapters
from fheasible.studies.panthers.claims_calibration import claims as of_calibration
from fheasible.studies.panthers.claims_choice import claims as of_choice
from fheasible.studies.panthers.claims_curves import claims as of_curves
from fheasible.studies.panthers.claims_errors import claims as of_errors
from fheasible.studies.panthers.experiments import EXPERIMENTS
from fheasible.studies.panthers.printed import PUBLISHED
from fheasible.studies.panthers.security import CAUTION
from fheasible.studies.panthers.summary import summary
from fheasible.studies.study import Study

PANTHERS = Study(
    name="panthers",
    title="PAnTHErS",
    paper="C. Feron, V. Lapotre, L. Lagadec, Fast Evaluation of Homomorphic Encryption Schemes, NTMS 2018",
    reference="FerLL18",
    experiments=EXPERIMENTS,
    published=PUBLISHED,
    claims=(*of_calibration(), *of_errors(), *of_curves(), *of_choice()),
    chapters=chapters,
    summary=summary,
    caution=CAUTION,
)
