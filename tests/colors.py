"""How light a color is, and how far two are apart, for tests of what is drawn."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_rgb


def luminance(color) -> float:
    """Return the relative luminance of a color (WCAG 2.2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def lightness(color) -> float:
    """Return the CIE lightness of a color."""
    y = luminance(color)
    return 116 * np.cbrt(y) - 16 if y > 0.008856 else 903.3 * y


def contrast(one, other) -> float:
    """Return the contrast of two colors (WCAG 2.2)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
