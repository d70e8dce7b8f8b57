"""Which digit is it? A network of two layers on an encrypted image, with a square where others have a ReLU.

scikit-learn's digits, of 8 x 8 pixels. The network is trained here, in the clear; the largest of its ten
scores names the digit.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import fheasible as fh

PIXELS, HIDDEN, DIGITS = 64, 16, 10

images, labels = load_digits(return_X_y=True)
seen, unseen, seen_labels, unseen_labels = train_test_split(
    images / 16, labels, test_size=297, random_state=0
)


def gradients(weights, x, truth):
    """Of the cross entropy, by each of the weights."""
    first, shift, second, offset = weights
    inner = x @ first.T + shift
    scores = inner**2 @ second.T + offset
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    error = (likely / likely.sum(axis=1, keepdims=True) - truth) / len(x)
    back = 2 * inner * (error @ second)
    return back.T @ x, back.sum(axis=0), error.T @ inner**2, error.sum(axis=0)


def trained(x, truth, steps=100, rate=0.03):
    """Adam on all images at once."""
    draw = np.random.default_rng(0)
    weights = [draw.normal(0, 0.1, shape) for shape in ((HIDDEN, PIXELS), HIDDEN, (DIGITS, HIDDEN), DIGITS)]
    mean, square = [0.0] * 4, [0.0] * 4
    for step in range(1, steps + 1):
        for i, slope in enumerate(gradients(weights, x, truth)):
            mean[i] = 0.9 * mean[i] + 0.1 * slope
            square[i] = 0.99 * square[i] + 0.01 * slope**2
            scale = np.sqrt(square[i] / (1 - 0.99**step)) + 1e-8
            weights[i] = weights[i] - rate * mean[i] / (1 - 0.9**step) / scale
    return weights


first, shift, second, offset = trained(seen, np.eye(DIGITS)[seen_labels])


@fh.app(image=fh.reals(PIXELS, low=0, high=1))
def two_layer_network(image):
    hidden = (first @ image + shift) ** 2
    return second @ hidden + offset
