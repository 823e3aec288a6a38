"""The kinds of arrays, named once for all modules.

A figure is a 64-bit float, a count of people a 64-bit integer, a mask a bool. Modules import these names
and declare none of their own.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = "NDArray[np.int32] | FloatArray"  # whole people, as a file has them or added up
AnyIntArray: TypeAlias = NDArray[np.integer[Any]]  # of any width: codes of a file take half of 64 bits
AnyFloatArray: TypeAlias = NDArray[np.floating[Any]]  # of any width: what a reader of files or of frames returns
