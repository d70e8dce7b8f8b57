"""The page as a file: the answers of the table are those of the search."""

import gzip
import json
import re
from base64 import b64decode
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import UsageError
from fheasible.measurement.shipped import shipped
from fheasible.web import static
from fheasible.web.answers import drawing
from fheasible.web.controls import controls, few
from fheasible.web.examples import examples
from fheasible.web.searching import Searching

from .conftest import INTEGERS


def data(page: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="given">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_examples_are_found_by_name_and_by_number() -> None:
    assert static.chosen([]) == examples()
    assert [e.called for e in static.chosen(["4", "2_std_dev.py", "examples/4_inner_product.py"])] == [
        "examples/4_inner_product.py",
        "examples/2_std_dev.py",
    ]


def test_another_example_is_an_error() -> None:
    with pytest.raises(UsageError, match="there is no example 99") as caught:
        static.chosen(["4", "99"])
    assert "examples/13_cardio.py" in caught.value.remedy


def test_examples_are_in_order_with_what_they_compute() -> None:
    assert [e.file.partition("_")[0] for e in examples()] == [str(i + 1) for i in range(len(examples()))]
    assert len(examples()) >= 13
    assert examples()[3].title == "The inner product of two vectors of 1,000 integers from 0 to 15."


def test_the_page_has_its_table_and_asks_no_server() -> None:
    table = {"examples/4_inner_product.py": {"sliders": [], "answers": {"0": {"</script>": "&"}}}}
    page = static.page(examples()[3:4], table)
    given = data(page)
    assert given["static"]
    assert json.loads(gzip.decompress(b64decode(given["table"]))) == table
    assert given["drawing"] == drawing()
    assert "connect-src 'none'" in unescape(page)
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


@pytest.mark.long
def test_a_file_has_the_answer_of_the_search_for_every_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "results.sqlite")
    (example,) = static.chosen(["4"])
    monkeypatch.setattr(
        "fheasible.web.static.by_precision", lambda sliders: iter([(0, 0, 0, 1), (1, 2, 1, 0)])
    )
    done: list[tuple[int, int]] = []
    path = static.write(tmp_path / "site", [example], place, lambda _, *numbers: done.append(numbers))
    given = data(path.read_text(encoding="utf-8"))
    table = json.loads(gzip.decompress(b64decode(given["table"])))[example.called]
    many = static.count(few(controls(real=False)))
    assert done == [(1, many), (2, many)]
    assert set(table["answers"]) == {"0,0,0,1", "1,2,1,0"}
    app = tmp_path / "dot.py"
    app.write_text(INTEGERS)
    (usual, _) = Searching(tmp_path / "dot.py", "dot.py", place).answer(
        (0, 0, 2, 11), sliders=controls(real=False)
    )
    assert set(table["answers"]["0,0,0,1"]) == {*usual, "why"}
    other = table["answers"]["1,2,1,0"]
    assert dict(other["lines"])["why this:"].startswith("the least memory of")
    strict = other["headline"][1]
    assert "security >= 256 bits" in strict
    assert "memory <= 256 MiB" in strict
    assert [s["labels"] for s in table["sliders"]] == [list(s.labels) for s in few(controls(real=False))]


@pytest.mark.long
def test_reasons_name_lines_of_an_example_and_no_folder_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = static.chosen(["12"])
    monkeypatch.setattr("fheasible.web.static.by_precision", lambda sliders: iter([(0, 0, 0, 1)]))
    monkeypatch.chdir(tmp_path)
    path = static.write(Path("site"), [example], "results.sqlite")
    table = gzip.decompress(b64decode(data(path.read_text(encoding="utf-8"))["table"]))
    said = table.decode()
    assert '"examples/12_maximum.py:' in said
    assert str(shipped("examples")) not in said
    assert Path.cwd() == tmp_path
