"""Circuits of bits in BLIF, against an evaluator of the file that shares no code with the reader."""

import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.data import random_data
from fheasible.errors import CircuitError, UsageError
from fheasible.models.load import load_model

ADDER = """# a full adder
.model adder
.inputs a b \\
  carry
.outputs sum over
.names a b carry sum
100 1
010 1
001 1
111 1
.names a b carry over
11- 1
1-1 1
-11 1
.end
"""


def written(folder: Path, text: str, name: str = "circuit.blif") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def outputs_of(text: str, bits: dict[str, int]) -> dict[str, int]:
    """The bits of all outputs, by reading the text row by row with regular expressions."""
    joined = re.sub(r"#.*", "", text).replace("\\\n", " ")
    tables = re.findall(r"\.names ([^\n]*)\n((?:[01-]+ ?[01]?[^\S\n]*\n)*)", joined)
    covers = {names.split()[-1]: (names.split()[:-1], rows.split("\n")[:-1]) for names, rows in tables}

    def value(name: str) -> int:
        if name in bits:
            return bits[name]
        inputs, rows = covers[name]
        given = "".join(str(value(i)) for i in inputs)
        for row in rows:
            pattern, _, bit = row.strip().rpartition(" ")
            if re.fullmatch(pattern.replace("-", "."), given):
                return int(bit)
        return 1 - int(rows[0].strip()[-1]) if rows else 0

    return {name: value(name) for name in re.search(r"\.outputs ([^\n]*)", joined)[1].split()}  # type: ignore[index]


def drawn(seed: int, inputs: int = 4, tables: int = 9, widest: int = 6) -> str:
    """A random circuit. Some tables are constant, repeat an input, or do not depend on all of theirs."""
    chance = random.Random(seed)
    names = [f"x[{i}]" for i in range(inputs)]
    lines = [".model drawn", f".inputs {' '.join(names)}"]
    covers = []
    for k in range(tables):
        chosen = [chance.choice(names) for _ in range(chance.randint(1, widest))]
        bit = chance.choice("01")
        rows = {"".join(chance.choice("01-") for _ in chosen) for _ in range(chance.randint(1, 5))}
        covers += [f".names {' '.join(chosen)} t{k}", *(f"{row} {bit}" for row in sorted(rows))]
        names.append(f"t{k}")
    return "\n".join([*lines, f".outputs {' '.join(names[inputs:])}", *covers, ".end"]) + "\n"


def constant(text: str, names: Sequence[str]) -> set[str]:
    """The outputs that have one value for all inputs."""
    seen: dict[str, set[int]] = {}
    for number in range(1 << len(names)):
        bits = {name: number >> i & 1 for i, name in enumerate(names)}
        for name, bit in outputs_of(text, bits).items():
            seen.setdefault(name, set()).add(bit)
    return {name for name, bits in seen.items() if len(bits) == 1}


@pytest.mark.parametrize("seed", range(12))
def test_a_random_circuit_has_the_bits_of_the_file(tmp_path: Path, seed: int) -> None:
    text = drawn(seed)
    names = [f"x[{i}]" for i in range(4)]
    fixed = constant(text, names)
    kept = [f"t{k}" for k in range(9) if f"t{k}" not in fixed]
    text = re.sub(r"\.outputs .*", f".outputs {' '.join(kept)}", text)
    app = load_model(written(tmp_path, text)).app
    circuit = app.trace()
    for number in range(16):
        bits = {name: number >> i & 1 for i, name in enumerate(names)}
        data = {f"x.{i}": np.array([number >> i & 1]) for i in range(4)}
        found = {name: int(values[0]) for name, values in evaluate(circuit, data).items()}
        assert found == outputs_of(text, bits)


def test_a_full_adder_is_two_look_ups(tmp_path: Path) -> None:
    model = load_model(written(tmp_path, ADDER))
    circuit = model.app.trace()
    assert [i.name for i in circuit.inputs] == ["a", "b", "carry"]
    assert sum(n.op.value == "discrete" for n in circuit.nodes()) == 2
    for seed in range(8):
        data = random_data(circuit, seed)
        total = sum(int(v[0]) for v in data.values())
        assert {k: int(v[0]) for k, v in evaluate(circuit, data).items()} == {
            "sum": total % 2,
            "over": total // 2,
        }


def test_data_are_read_by_the_names_of_the_inputs(tmp_path: Path) -> None:
    data = written(tmp_path, "a,b,carry\n1,0,1\n", "bits.csv")
    model = load_model(written(tmp_path, ADDER), data)
    assert {name: int(v[0]) for name, v in (model.data or {}).items()} == {"a": 1, "b": 0, "carry": 1}


WRONG = [
    (".model m\n.inputs a\n.outputs y\n.latch a y 0\n", 4, "latch remembers a bit"),
    (".model m\n.inputs a\n.outputs y\n.subckt adder a=a\n", 4, "circuit within a circuit"),
    (".model m\n.inputs a\n.outputs y\n.foo\n", 4, ".foo is not known"),
    (".model m\n.inputs a\n.outputs y\n11 1\n", 4, "stands in no table"),
    (".model m\n.inputs a b\n.outputs y\n.names a b y\n1 1\n", 5, "no row of a table of 2 inputs"),
    (".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n0 0\n", 6, "but not both"),
    (".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n.names a y\n0 1\n", 6, "y has a table already"),
    (".model m\n.inputs a\n.outputs y z\n.names a y\n1 1\n", 3, "nothing gives z"),
    (".model m\n.inputs a\n.outputs y\n.names a b y\n11 1\n", 4, "nothing gives b"),
    (".model m\n.inputs a\n.outputs y\n.names a z y\n11 1\n.names y z\n1 1\n", 6, "depends on itself"),
    (".model m\n.inputs a a\n.outputs y\n.names a y\n1 1\n", 2, "declared twice"),
    (".model m\n.inputs a\n.outputs a2\n.names a\n1\n.names a a2\n1 1\n", 4, "a is an input"),
    (".model m\n.inputs a\n.outputs y\n.names y\n1\n", 4, "is 1 for all inputs"),
    (".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n.end\n.model n\n", 7, "after .end"),
    (".model m\n.inputs a\n.outputs y\n.model n\n", 4, "a second circuit"),
    (f".model m\n.inputs a\n.outputs y\n.names {'a ' * 17}y\n", 4, "17 inputs, and at most 16"),
]


@pytest.mark.parametrize(("text", "line", "said"), WRONG)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(CircuitError) as caught:
        load_model(file).app.trace()
    assert said in caught.value.message
    assert f"circuit.blif:{line}: " in caught.value.message
    assert caught.value.remedy


def test_files_that_are_no_circuits_are_told(tmp_path: Path) -> None:
    with pytest.raises(CircuitError, match=r"has no \.inputs"):
        load_model(written(tmp_path, ""))
    with pytest.raises(UsageError, match="does not exist"):
        load_model(tmp_path / "absent.blif")
    (tmp_path / "bytes.blif").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read as text"):
        load_model(tmp_path / "bytes.blif")
