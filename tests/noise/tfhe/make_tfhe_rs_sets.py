"""Reads the named sets of TFHE-rs out of its source, with the failure rates that it states for them.

    python tests/noise/tfhe/make_tfhe_rs_sets.py FOLDER > tests/noise/tfhe/tfhe_rs_sets.json

FOLDER is `src/shortint/parameters` of crate tfhe 1.8.2. A set that is another name for one of an older
version is followed to there. Failure rates are those of the comments above the constants; sets of HPUs have
none, and their field `log2_p_fail` is the class that they belong to, which is said as `nominal`.
"""

import json
import re
import sys
from pathlib import Path

CONSTANT = re.compile(r"((?:///[^\n]*\n\s*)*)pub const (\w+):\s*(\w+)\s*=\s*(.*?);\n", re.S)
KINDS = ("ClassicPBSParameters", "MultiBitPBSParameters", "KeySwitch32PBSParameters")
VERSION = "v1_7"


def constants(folder: Path) -> dict[str, tuple[str, str, str, str]]:
    """Every constant's comment, type, body and file, by name."""
    found = {}
    for file in sorted(folder.glob("v1_*/**/*.rs")):
        for comment, name, kind, body in CONSTANT.findall(file.read_text()):
            found[name] = (comment, kind, body, str(file.relative_to(folder)))
    return found


def number(body: str, field: str) -> int:
    found = re.search(rf"{field}:\s*\w+(?:::new)?\(\s*(\d+)", body)
    assert found, field
    return int(found[1])


def errors(body: str, field: str, bits: int) -> dict[str, object]:
    found = re.search(
        rf"{field}:.*?(t_uniform\(|StandardDev\()\s*([\d.e_-]+)", body[body.index(field) :], re.S
    )
    assert found, field
    if found[1].startswith("t"):
        return {"kind": "tuniform", "bound": int(found[2]), "bits": bits}
    return {"kind": "gaussian", "std": float(found[2].replace("_", ""))}


def key_switch_bits(body: str) -> int:
    """log2 of the modulus of the key switch's key."""
    found = re.search(
        r"post_keyswitch_ciphertext_modulus:\s*CiphertextModulus32::new(_native|\(1 << (\d+))", body
    )
    if not found:
        return 64
    return int(found[2]) if found[2] else 32


def row(name: str, all_constants: dict[str, tuple[str, str, str, str]]) -> dict[str, object]:
    comment, _, body, file = all_constants[name]
    while "{" not in body:
        body = all_constants[body.strip().split("::")[-1]][2]
    stated = re.search(r"p-fail = 2\^(-[\d.]+)", comment)
    cost = re.search(r"algorithmic cost ~ ([\d.]+)", comment)
    field = re.search(r"log2_p_fail:\s*(-[\d.]+)", body)
    assert field
    grouped = "grouping_factor" in body
    return {
        "name": name,
        "file": file,
        "n": number(body, "lwe_dimension"),
        "k": number(body, "glwe_dimension"),
        "N": number(body, "polynomial_size"),
        "lwe": errors(body, "lwe_noise_distribution", key_switch_bits(body)),
        "glwe": errors(body, "glwe_noise_distribution", 64),
        "pbs": [number(body, "pbs_base_log"), number(body, "pbs_level")],
        "ks": [number(body, "ks_base_log"), number(body, "ks_level")],
        "message": number(body, "message_modulus"),
        "carry": number(body, "carry_modulus"),
        "norm2": number(body, "max_noise_level"),
        "grouping": number(body, "grouping_factor") if grouped else 1,
        "centered": "CenteredMeanNoiseReduction" in body,
        "p_fail": float((stated or field)[1]),
        "nominal": stated is None,
        "cost": float(cost[1]) if cost else None,
    }


def main(folder: Path) -> None:
    found = constants(folder)
    names = [
        n for n, (_, kind, _, file) in sorted(found.items()) if file.startswith(VERSION) and kind in KINDS
    ]
    lines = ",\n".join(json.dumps(row(name, found)) for name in names)
    print(f'{{"source": "crate tfhe 1.8.2, src/shortint/parameters/{VERSION}", "sets": [\n{lines}\n]}}')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
