"""The parameters as data, and the folders by which client and server exchange files."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
TO_SERVER, TO_CLIENT = FOLDER / "to_server", FOLDER / "to_client"

PARAMETERS = json.loads((FOLDER / "parameters.json").read_text(encoding="utf-8"))
REAL = PARAMETERS["scheme"] == "ckks"


def ciphertexts(folder, vector):
    """The files of a packed vector, one for each of its ciphertexts."""
    return [folder / f"{vector['file']}_{i}.bin" for i in range(vector["ciphertexts"])]
