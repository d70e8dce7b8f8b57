"""Points of cardiac risk of a patient: comparisons of numbers of 8 bits, and yes or no, added up.

The program "cardio" of the survey of FHE compilers by Viand, Jattke and Hithnawi (2021), first described by
Carpov and others (2016). Only the sum of the points is decrypted, from 0 to 9.
"""

import fheasible as fh


def yes_or_no():
    return fh.integers(1, low=0, high=1)


def number():
    return fh.integers(1, low=0, high=255)


@fh.app(
    man=yes_or_no(), family=yes_or_no(), smoker=yes_or_no(), diabetic=yes_or_no(), hypertonic=yes_or_no(),
    age=number(), hdl=number(), weight=number(), height=number(), activity=number(), drinks=number(),
)  # fmt: skip
def cardio(man, family, smoker, diabetic, hypertonic, age, hdl, weight, height, activity, drinks):
    woman = 1 - man
    return (
        (man & (age > 50))
        + (woman & (age > 60))
        + family
        + smoker
        + diabetic
        + hypertonic
        + (hdl < 40)
        + (weight > height - 90)
        + (activity < 30)  # minutes a day
        + (man & (drinks > 3))
        + (woman & (drinks > 2))
    )
