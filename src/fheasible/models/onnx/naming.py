"""The name of a network's application, which is known without reading the network."""

import re
from pathlib import Path


def network_name(file: Path) -> str:
    return re.sub(r"\W", "_", file.stem) or "network"
