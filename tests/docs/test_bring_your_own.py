"""The manifest that docs/bring_your_own.md shows is one, and its table of fields names every field."""

import re
from pathlib import Path

from fheasible.libraries import manifest
from fheasible.libraries.following import own_sets
from fheasible.measurement import adding

GUIDE = (Path(__file__).parents[2] / "docs" / "bring_your_own.md").read_text()


def test_the_manifest_of_the_example_can_be_used(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    (tmp_path / manifest.FILE).write_text(text)
    given, _ = manifest.read(tmp_path)
    adding.check(given, tmp_path)
    (own,) = own_sets(given.sets, "tfhe")
    assert (own.parameters.large_dimension, own.parameters.plaintext_modulus) == (2048, 2)


def test_every_field_is_told() -> None:
    told = set(re.findall(r"^\| `\[?\[?(\w+)\]?\]?` \|", GUIDE, re.MULTILINE))
    assert set(manifest.Manifest.__dataclass_fields__) <= told
