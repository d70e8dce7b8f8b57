from pathlib import Path

import pytest

from fheasible.errors import DataError
from fheasible.studies.published import load

NUMBER = '[[number]]\nkey = "a"\nvalue = 2\nunit = "s"\ntext = "2 s"\nwhere = "Table I"\n'


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_number_is_read_with_its_place(tmp_path: Path) -> None:
    numbers = load(written(tmp_path / "p.toml", NUMBER + 'remark = "smudged"\n'))
    assert (numbers["a"].value, numbers["a"].where, numbers["a"].remark) == (2, "Table I", "smudged")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NUMBER + NUMBER, "twice"),
        (NUMBER.replace('unit = "s"\n', ""), "unit"),
        (NUMBER + "page = 7\n", "page"),
    ],
)
def test_a_number_that_is_not_whole_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        load(written(tmp_path / "p.toml", text))
