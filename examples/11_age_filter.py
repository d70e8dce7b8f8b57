"""What do people over 30 earn together? A table of 100 people, filtered and summed, exact to the last euro.

A comparison, a choice for each person and a long sum: tables of TFHE, not sums and products.
"""

import fheasible as fh

PEOPLE, AGE = 100, 30


@fh.app(age=fh.integers(PEOPLE, low=0, high=120), salary=fh.integers(PEOPLE, low=0, high=10_000))
def age_filter(age, salary):
    return fh.sum(fh.where(age > AGE, salary, 0))
