"""Training on encrypted data: logistic regression of tumours by gradient descent, the weights encrypted, too.

scikit-learn's breast cancer data: 4 features of each of 512 patients in turn, negated where the tumour is
benign, so that every score should become positive. A step takes five levels; bootstraps bring them back.
"""

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import fheasible as fh

PATIENTS, STEPS, RATE = 512, 12, 3.0
FEATURES = ("worst radius", "worst texture", "worst smoothness", "worst concave points")
WIDTH = len(FEATURES)

known = load_breast_cancer()
features = known.data[:, [list(known.feature_names).index(name) for name in FEATURES]]
features = np.clip((features - features.mean(axis=0)) / (2 * features.std(axis=0)), -1, 1)
seen, unseen, seen_malignant, unseen_malignant = train_test_split(
    features, known.target == 0, train_size=PATIENTS, random_state=1
)
samples = np.where(seen_malignant[:, None], seen, -seen)
of_each_patient = sparse.kron(sparse.eye(PATIENTS), np.ones((WIDTH, WIDTH)))  # the sum, at each feature


def over_patients(x):
    """In every place, the sum of its feature."""
    step = WIDTH
    while step < len(x):
        x = x + fh.rotate(x, step)
        step *= 2
    return x


def wrongness(bound):
    """1 for a score far below 0, 0 far above, times a patient's share: a cubic near the logistic curve."""
    ends = [-bound, bound]
    cubic = np.polynomial.Chebyshev.interpolate(lambda score: 1 / (1 + np.exp(score)), 3, ends)
    return fh.approximate(cubic * (RATE / PATIENTS), *ends, degree=3)


@fh.app(samples=fh.reals(PATIENTS * WIDTH, low=-1, high=1))
def logistic_training(samples):
    weights = over_patients(samples * (RATE / PATIENTS / 2))  # from 0, where everyone is half wrong
    bound = RATE / 2  # no weight is beyond
    for _ in range(STEPS - 1):
        scores = fh.matmul(of_each_patient, weights * samples)
        weights = weights + over_patients(wrongness(WIDTH * bound)(scores) * samples)
        bound += 1.2 * RATE  # no cubic is beyond 1.2
    return weights[:WIDTH]
