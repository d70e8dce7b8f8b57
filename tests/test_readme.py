"""What the README and the documents that it leads to say of the project holds."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
GUIDE, ACCURACY, GLOSSARY = (
    (ROOT / "docs" / f"{name}.md").read_text() for name in ("guide", "accuracy", "glossary")
)
MOST_WORDS = 900


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_the_worked_example_is_the_example_file() -> None:
    for text in (README, GUIDE):
        code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
        body = code[code.index("@fh.app") :].strip()
        assert body in (ROOT / "examples" / "2_std_dev.py").read_text()


def test_what_the_readme_shows_of_outputs_stands_in_the_guide() -> None:
    blocks = re.findall(r"```\n(\$ fheasible .*?)```", README, re.DOTALL)
    assert len(blocks) == 2
    for line in "".join(blocks).splitlines():
        assert line in GUIDE.splitlines()


def test_every_make_target_and_file_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile
    for text in (README, GUIDE, ACCURACY):
        for name in re.findall(r"`((?:docs|examples|benchmarks)/[\w./]+)`", text):
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("file", ["README.md", *(f"docs/{n}.md" for n in ("guide", "accuracy", "glossary"))])
def test_every_link_leads_to_a_file_and_to_a_heading_of_it(file: str) -> None:
    path = ROOT / file
    links = re.findall(r"\]\(([^)]+)\)", path.read_text())
    for link in links:
        name, _, heading = link.partition("#")
        target = (path.parent / name) if name else path
        assert target.exists(), link
        assert not heading or heading in anchors(target.read_text()), link


def anchors(text: str) -> list[str]:
    """The names of the headings, as a reader of Markdown makes them."""
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found]


def test_the_commands_that_are_named_exist() -> None:
    known = set(re.findall(r"^## fheasible (\w+)", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE))
    for text in (README, GUIDE, ACCURACY):
        for verb in re.findall(r"(?:`|\$ )fheasible ([a-z]+)", text):
            assert verb in known, verb


def test_the_evidence_of_the_readme_stands_in_the_document_of_evidence() -> None:
    table = README.split("how far off |")[1].split("\n\n")[0]
    for figure in re.findall(r"[\d,.]+ %|8,922|450|38", table):
        assert figure in ACCURACY, figure


def test_the_evidence_is_what_the_stored_results_say() -> None:
    errors = json.loads((ROOT / "benchmarks" / "results" / "accuracy.json").read_text())["errors"]
    found = errors["applications"]
    mean, worst, memory = (
        f"{100 * e:.1f} %" for e in (found["mean"], found["worst"], errors["memory"]["worst"])
    )
    assert f"{found['count']} whole applications | mean {mean}, worst {worst} |" in ACCURACY
    assert f"| {mean} on average, {worst} at worst |" in README
    assert f"| their peak memory | {memory} at worst |" in README


@pytest.mark.parametrize(
    "word",
    [
        "N",
        "log QP",
        "Level",
        "Digit",
        "special primes",
        "Technique",
        "Slot",
        "Table look-up",
        "Blind rotation",
    ],
)
def test_the_glossary_explains_the_words(word: str) -> None:
    assert re.search(rf"^\* \*\*[^*]*{re.escape(word)}[^*]*\*\*", GLOSSARY, re.MULTILINE)


def test_no_placeholder_is_left() -> None:
    assert not [text for text in (README, GUIDE, ACCURACY, GLOSSARY) if "@@" in text]
