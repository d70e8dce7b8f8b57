"""The parameters of any scheme whose programs are table look-ups."""

from fheasible.schemes.fhew.parameters import FhewParameters
from fheasible.schemes.tfhe.parameters import TfheParameters

LookupParameters = TfheParameters | FhewParameters
