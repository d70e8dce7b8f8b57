"""Write the data files of the examples into this folder; README.md says where they are from."""

import csv
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import product
from math import acos, asin, atan, cos, pi, radians, sin, tan
from pathlib import Path
from runpy import run_path

import numpy as np
from numpy.typing import NDArray

LATITUDE = 52.0  # degrees north
SUNSET = 0.8333  # degrees that the sun's centre stands below the horizon when its upper edge sets


def day_length(day_of_year: int) -> float:
    """The part of a day for which the sun is up: the CBM model of Forsythe et al. (1995)."""
    revolution = 0.2163108 + 2 * atan(0.9671396 * tan(0.00860 * (day_of_year - 186)))
    declination = asin(0.39795 * cos(revolution))
    latitude = radians(LATITUDE)
    dark = acos(
        (sin(radians(SUNSET)) + sin(latitude) * sin(declination)) / (cos(latitude) * cos(declination))
    )
    return 1 - dark / pi


def of_example(example: str, name: str = "unseen") -> NDArray[np.float64]:
    """What the example calls by that name; by default what its model was not trained on, one row each."""
    return np.asarray(run_path(str(Path(__file__).parents[1] / example))[name])


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with (Path(__file__).parent / name).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main() -> None:
    days = [date(2021, 1, 1) + timedelta(days=i) for i in range(4 * 365 + 1)]  # 2024 is a leap year
    write("day_length.csv", ["x"], [[f"{day_length(d.timetuple().tm_yday):.6f}"] for d in days])
    write("three_bits.csv", ["c1", "c2", "c3"], product((0, 1), repeat=3))
    write("pairs.csv", ["a", "b"], product(range(16), repeat=2))
    patients = of_example("5_logistic_regression.py").T.ravel()  # feature by feature
    write("patients.csv", ["patients"], [[f"{v:.4f}"] for v in patients])
    write("digit.csv", ["image"], [[f"{v:.4f}"] for v in of_example("6_two_layer_network.py")[0]])
    tumours = of_example("9_logistic_training.py", "samples").ravel()  # patient by patient
    write("tumours.csv", ["samples"], [[f"{v:.4f}"] for v in tumours])
    write("large_digit.csv", ["image"], [[f"{v:.4f}"] for v in of_example("10_relu_network.py")[0]])


if __name__ == "__main__":
    main()
