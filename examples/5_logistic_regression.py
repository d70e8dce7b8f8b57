"""Which tumours are malignant? Logistic regression on 128 encrypted patients at once.

scikit-learn's breast cancer data: 30 features, standardised, each of all patients before the next. The
weights are trained here, in the clear; nothing but the patients is encrypted.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import fheasible as fh

PATIENTS, LIMIT = 128, 3.0

features, benign = load_breast_cancer(return_X_y=True)
seen, unseen, seen_malignant, unseen_malignant = train_test_split(
    features, 1 - benign, test_size=PATIENTS, random_state=1
)
scaler = StandardScaler().fit(seen)
seen, unseen = (np.clip(scaler.transform(x), -LIMIT, LIMIT) for x in (seen, unseen))
model = LogisticRegression(C=0.01).fit(seen, seen_malignant)

weights, bias = model.coef_[0], model.intercept_[0]
largest = LIMIT * np.abs(weights).sum() + abs(bias)  # no score is beyond


@fh.app(patients=fh.reals(PATIENTS * len(weights), low=-LIMIT, high=LIMIT))
def logistic_regression(patients):
    each = np.eye(len(patients) // len(weights))
    scores = fh.matmul(np.kron(weights, each), patients) + bias
    return fh.sigmoid(scores, low=-largest, high=largest)
