"""Which digit is it? A network of three layers with ReLU (784-128-64-10) on an encrypted image of 28 x 28.

scikit-learn's digits, enlarged from 8 x 8 pixels. The network is trained here, in the clear; the largest of
its ten scores names the digit. `--precision absolute:0.25` is enough to keep it for 98 of 100 images.
"""

import numpy as np
from scipy.ndimage import zoom
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

import fheasible as fh

SIDE, HIDDEN, DIGITS = 28, (128, 64), 10
ROOM = 1.5  # times the largest argument of a ReLU in training: other images have larger ones

small, labels = load_digits(return_X_y=True)
images = zoom(small.reshape(-1, 8, 8) / 16, (1, SIDE / 8, SIDE / 8), order=1).reshape(len(labels), -1)
seen, unseen, seen_labels, unseen_labels = train_test_split(images, labels, test_size=297, random_state=0)

network = MLPClassifier(HIDDEN, learning_rate_init=0.002, random_state=0)
for _ in range(12):  # times that it sees all images
    network.partial_fit(seen, seen_labels, classes=range(DIGITS))
layers = [(weights.T, shift) for weights, shift in zip(network.coefs_, network.intercepts_, strict=True)]


def arguments(x):
    """What the ReLUs of each layer are given for these images, one row each; at last the ten scores."""
    for weights, shift in layers:
        yield (given := x @ weights.T + shift)
        x = np.maximum(given, 0)


bounds = [ROOM * np.abs(given).max() for given in arguments(seen)]


@fh.app(image=fh.reals(SIDE * SIDE, low=0, high=1))
def relu_network(image):
    x = image
    for (weights, shift), bound in zip(layers[:-1], bounds, strict=False):
        x = fh.relu(weights @ x + shift, low=-bound, high=bound)
    weights, shift = layers[-1]
    return weights @ x + shift
