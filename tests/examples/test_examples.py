"""Each example: what it computes, and how deep it is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.composition import Composition
from fheasible.circuit.data import lengths, random_data, read
from fheasible.circuit.degrees import with_degrees
from fheasible.circuit.depth import depth
from fheasible.circuit.load import load
from fheasible.circuit.node import Kind, Op
from fheasible.circuit.ranges import intervals, warnings
from fheasible.circuit.trace import App
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Scheme

FOLDER = Path(__file__).parents[2] / "examples"
FILES = sorted(FOLDER.glob("[0-9]*.py"), key=lambda file: int(file.name.split("_")[0]))
CKKS = Style(Scheme.CKKS)
PROMISING = {"10_relu_network"}  # ranges that images keep, but not all values from 0 to 1


def app(number: int) -> App:
    (file,) = FOLDER.glob(f"{number}_*.py")
    return load(str(file))


def test_they_are_numbered() -> None:
    assert [int(f.name.split("_")[0]) for f in FILES] == list(range(1, len(FILES) + 1))
    assert len(FILES) >= 10
    assert all(len(f.read_text().splitlines()) < 60 for f in FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_example_says_what_it_is_and_keeps_its_promises(file: Path) -> None:
    assert 2 <= len(file.read_text().split('"""')[1].strip().splitlines()) <= 4
    found = load(str(file))
    assert file.stem.endswith(found.name)
    assert (warnings(found.trace()) == []) == (file.stem not in PROMISING)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_example_computes_the_same_in_normal_form(file: Path) -> None:
    found = load(str(file))
    data = random_data(found, 7)
    as_is = evaluate(found.trace(), data)["result"]
    normal = evaluate(normalise(found.trace()), data)["result"]
    np.testing.assert_allclose(normal, as_is, rtol=1e-12, atol=1e-13 * np.abs(as_is).max())


def test_the_sum_of_products() -> None:
    data = random_data(app(1), 3)
    result = evaluate(app(1).trace(), data)["result"]
    np.testing.assert_allclose(result, [np.einsum("i,i,i", data["x"], data["y"], data["z"])])
    assert abs(result[0] - 65_536 / 8) < 100  # the mean of a product of three uniform numbers is 1/8
    assert depth(normalise(app(1).trace()), "ckks") == 2


def test_the_standard_deviation() -> None:
    data = random_data(app(2), 3)
    exact = evaluate(app(2).trace(), data)["result"]
    np.testing.assert_allclose(exact, [np.std(data["x"])])
    series = evaluate(app(2).trace(), data, exact=False)["result"]
    assert abs(series[0] - exact[0]) < 2**-15 * exact[0]
    # a mean, a square, a mean, the map to [-1, 1] and eight levels for 248 terms
    assert depth(normalise(app(2).trace()), "ckks") == 11


def test_the_standard_deviation_of_day_lengths() -> None:
    data = read(FOLDER / "data" / "day_length.csv", app(2).inputs)
    assert lengths(data) == {"x": 1461}
    x = data["x"]
    # 52 degrees north: 7.7 h on the winter solstice, 16.7 h on the summer one; 12.3 h on average
    assert (24 * x.min(), 24 * x.max(), 24 * x.mean()) == pytest.approx((7.7, 16.7, 12.3), abs=0.1)
    assert abs(int(x[:365].argmax()) - 171) <= 1  # 21 June
    result = evaluate(app(2).trace(lengths(data)), data)["result"]
    np.testing.assert_allclose(result, [np.std(x)], rtol=1e-12)


def test_ten_multiplications_become_five() -> None:
    circuit = app(3).trace()
    assert depth(normalise(circuit), "bfv") == 5
    assert depth(normalise(replace(circuit, minimise_depth=False)), "bfv") == 10


def test_the_product_of_eleven_factors_on_every_three_bits() -> None:
    data = read(FOLDER / "data" / "three_bits.csv", app(3).inputs)
    assert lengths(data) == {"c1": 8, "c2": 8, "c3": 8}
    circuit = app(3).trace(lengths(data))
    result = evaluate(circuit, data)["result"]
    # zero unless all bits are one: then T = 2, S = 4, and 4 * 2 * 5 * 6 = 240
    assert result.tolist() == [0] * 7 + [240]
    low, high = intervals(circuit)[dict(circuit.outputs)["result"]]
    assert (low, high) == (0, 240)


def test_the_inner_product() -> None:
    assert app(4).trace().kind is Kind.INTEGER
    data = read(FOLDER / "data" / "pairs.csv", app(4).inputs)
    assert lengths(data) == {"a": 256, "b": 256}
    assert evaluate(app(4).trace(lengths(data)), data)["result"].tolist() == [120**2]
    assert depth(normalise(app(4).trace()), "bgv") == 1


def test_the_logistic_regression_of_unseen_patients() -> None:
    """Encrypted, it tells the malignant tumours that scikit-learn's own model does, 96 of 100 rightly."""
    found = app(5)
    there: dict[str, Any] = found.function.__globals__
    model, patients = there["model"], there["unseen"]
    data = read(FOLDER / "data" / "patients.csv", found.inputs)
    np.testing.assert_allclose(data["patients"].reshape(30, 128), patients.T, atol=5.1e-5)
    circuit = found.trace(lengths(data))
    wanted = model.predict_proba(patients)[:, 1]
    np.testing.assert_allclose(evaluate(circuit, data)["result"], wanted, atol=1e-4)
    program = lower(with_degrees(circuit, (39,)), CKKS, 1 << 13)
    result = simulate(program, data)["result"]
    np.testing.assert_allclose(result, wanted, atol=2**-12)  # what degree 39 and the file's four digits allow
    assert ((result > 0.5) == model.predict(patients)).all()
    assert np.mean((result > 0.5) == there["unseen_malignant"]) > 0.95
    assert program.rotations == (128, 256, 512, 1024, 2048)  # one product, and the sum of 32 columns
    assert program.levels == 1 + 6


def test_the_logistic_regression_of_any_number_of_patients() -> None:
    found = app(5)
    x = found.function.__globals__["unseen"][:7]
    result = evaluate(found.trace({"patients": 7 * 30}), {"patients": x.T.ravel()})["result"]
    np.testing.assert_allclose(result, found.function.__globals__["model"].predict_proba(x)[:, 1])


def test_the_network_names_unseen_digits() -> None:
    """Encrypted, it names the digits that the network in the clear does, 97 of 100 rightly."""
    found = app(6)
    there: dict[str, Any] = found.function.__globals__
    images, labels = there["unseen"], there["unseen_labels"]
    inner = images @ there["first"].T + there["shift"]
    wanted = inner**2 @ there["second"].T + there["offset"]
    program = lower(found.trace(), CKKS, 1 << 12)
    scores = np.array([simulate(program, {"image": image})["result"] for image in images])
    np.testing.assert_allclose(scores, wanted, atol=1e-9)
    assert np.mean(scores.argmax(axis=1) == labels) > 0.97
    assert program.levels == 3
    best = np.sort(wanted, axis=1)
    assert (best[:, -1] - best[:, -2]).min() > 0.1  # so that errors below 0.05 change no digit
    (image,) = read(FOLDER / "data" / "digit.csv", found.inputs).values()
    assert image.tolist() == images[0].tolist()
    assert evaluate(found.trace(), {"image": image})["result"].argmax() == labels[0] == 2


def test_the_ten_products_are_zero_on_every_three_bits_modulo_2() -> None:
    """As above, 240 at most, which is even."""
    circuit = app(7).trace()
    for bits in np.ndindex(2, 2, 2):
        data = {name: np.array([bit]) for name, bit in zip(("c1", "c2", "c3"), bits, strict=True)}
        assert evaluate(circuit, data)["result"].tolist() == [0]
    assert depth(normalise(circuit), "bfv") == 5
    assert depth(normalise(replace(circuit, minimise_depth=False)), "bfv") == 10


def test_the_long_product() -> None:
    data = random_data(app(8), 3)
    result = evaluate(app(8).trace(), data)["result"]
    doubled = np.concatenate([data["x"], data["x"]])
    np.testing.assert_allclose(result, [np.prod(doubled[i : i + 100]) for i in range(128)])
    assert depth(normalise(app(8).trace()), "ckks") == 99


def test_the_training_lowers_the_cross_entropy_step_by_step() -> None:
    """It is log 2 at the start, and less than a quarter of that after twelve steps."""
    found = app(9)
    there: dict[str, Any] = found.function.__globals__
    samples, entropies = there["samples"], [np.log(2)]
    for steps in (1, 2, 4, 8, 12):
        there["STEPS"] = steps
        weights = evaluate(found.trace(), {"samples": samples.ravel()})["result"]
        entropies.append(np.log1p(np.exp(-samples @ weights)).mean())
    assert (np.diff(entropies) < 0).all()
    assert entropies[-1] < np.log(2) / 4


def test_the_trained_weights_tell_unseen_tumours() -> None:
    """They do so as gradient descent in the clear, with the logistic function itself, 96 of 100 rightly."""
    found = app(9)
    there: dict[str, Any] = found.function.__globals__
    samples = there["samples"]
    data = read(FOLDER / "data" / "tumours.csv", found.inputs)
    np.testing.assert_allclose(data["samples"].reshape(512, 4), samples, atol=5.1e-5)
    circuit = found.trace(lengths(data))
    assert depth(normalise(circuit), "ckks") == 2 + 5 * 11
    weights = evaluate(circuit, data)["result"]
    right = (there["unseen"] @ weights > 0) == there["unseen_malignant"]
    assert right.mean() > 0.96
    clear = np.zeros(4)
    for _ in range(there["STEPS"]):
        clear += there["RATE"] * (samples / (1 + np.exp(samples @ clear))[:, None]).mean(axis=0)
    assert weights @ clear > 0.99 * np.linalg.norm(weights) * np.linalg.norm(clear)


def test_the_training_keeps_within_its_bounds() -> None:
    """No cubic of the training is above 1.2 or below -0.2 where it is used."""
    circuit = app(9).trace()
    found = intervals(circuit)
    there: dict[str, Any] = app(9).function.__globals__
    share = there["RATE"] / there["PATIENTS"]
    cubics = [found[n] for n in circuit.nodes() if n.op is Op.CHEBYSHEV]
    assert len(cubics) == there["STEPS"] - 1
    assert all(low / share > -0.2 and high / share < 1.2 for low, high in cubics)


def test_the_network_with_relu_names_unseen_digits() -> None:
    """Encrypted, with polynomials of low degree for its ReLUs, it names the same digits as in the clear on at
    least 98 of 100 images."""
    found = app(10)
    there: dict[str, Any] = found.function.__globals__
    images, labels = there["unseen"], there["unseen_labels"]
    *arguments, wanted = there["arguments"](images)
    assert np.mean(wanted.argmax(axis=1) == labels) > 0.96
    best = np.sort(wanted, axis=1)
    assert np.mean(best[:, -1] - best[:, -2] > 0.5) > 0.98  # so that errors below 0.25 change no digit there
    for given, bound in zip(arguments, there["bounds"], strict=False):
        assert np.abs(given).max() < bound
    assert [weights.shape for weights, _ in there["layers"]] == [(128, 784), (64, 128), (10, 64)]
    (image,) = read(FOLDER / "data" / "large_digit.csv", found.inputs).values()
    np.testing.assert_allclose(image, images[0], atol=5.1e-5)
    circuit = found.trace()
    assert evaluate(circuit, {"image": image})["result"].argmax() == labels[0] == 2
    program = lower(with_degrees(circuit, (Composition((7, 7)),) * 2), CKKS, 1 << 13)
    scores = np.array([simulate(program, {"image": image})["result"] for image in images[:30]])
    assert np.mean(scores.argmax(axis=1) == wanted[:30].argmax(axis=1)) >= 0.98
