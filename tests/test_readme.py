"""What the README says of the project holds."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_worked_example_is_the_example_file() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    body = code[code.index("@fh.app") :].strip()
    assert body in (ROOT / "examples" / "2_std_dev.py").read_text()


def test_every_make_target_and_file_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile
    for name in re.findall(r"`((?:docs|examples|benchmarks)/[\w./]+)`", README):
        assert (ROOT / name).exists(), name


def test_no_placeholder_is_left() -> None:
    assert "@@" not in README
