"""The study of SEAL against OpenFHE, put together from its parts."""

from fheasible.studies.seal_vs_openfhe.chapters import chapters
from fheasible.studies.seal_vs_openfhe.claims_platforms import claims as of_platforms
from fheasible.studies.seal_vs_openfhe.claims_products import claims as of_products
from fheasible.studies.seal_vs_openfhe.claims_rings import claims as of_rings
from fheasible.studies.seal_vs_openfhe.claims_sums import claims as of_sums
from fheasible.studies.seal_vs_openfhe.experiments import EXPERIMENTS
from fheasible.studies.seal_vs_openfhe.printed import PUBLISHED
from fheasible.studies.seal_vs_openfhe.summary import sentences
from fheasible.studies.study import Study

SEAL_VS_OPENFHE = Study(
    name="seal-vs-openfhe",
    title="SEAL against OpenFHE",
    paper="Faneela, J. Ahmad, B. Ghaleb, S. U. Jan, W. J. Buchanan, Cross-Platform Benchmarking of the FHE "
    "Libraries: Novel Insights into SEAL and OpenFHE",
    reference="Faneela25",
    experiments=EXPERIMENTS,
    published=PUBLISHED,
    claims=(*of_rings(), *of_sums(), *of_products(), *of_platforms()),
    chapters=chapters,
    summary=sentences,
)
