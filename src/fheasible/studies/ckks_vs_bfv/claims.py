"""All claims of the paper."""

from fheasible.studies.ckks_vs_bfv.claims_sizes import claims as of_sizes
from fheasible.studies.ckks_vs_bfv.claims_times import claims as of_times

CLAIMS = (*of_times(), *of_sizes())
