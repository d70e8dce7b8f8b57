"""Types that every package writes often."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Json = dict[str, Any]
Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Interval = tuple[float, float]
