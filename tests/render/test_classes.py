import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

from policy_sim.errors import InputError
from policy_sim.render.classes import Classes, given_classes, log_classes, quantile_classes
from policy_sim.render.theme import COST, RISK, STATUSES, TRUST

NEARLY = 1 + 1e-8  # limits have two digits: a value nine digits from one is written as it
VALUES = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=60)


@given(VALUES)
def test_quantile_classes_cover_every_value(values):
    classes = quantile_classes(values, RISK)
    assert classes.limits[0] <= min(values) * NEARLY
    assert classes.limits[-1] * NEARLY >= max(values)


@given(VALUES)
def test_log_classes_cover_every_value_in_at_most_six(values):
    classes = log_classes(values, TRUST)
    assert len(classes.colours) <= 6
    assert classes.limits[0] <= min(values) * NEARLY
    assert classes.limits[-1] * NEARLY >= max(values)


def test_quantile_classes_hold_about_as_many_each_of_skewed_values():
    values = np.exp(np.linspace(-12, 0, 50))
    counts = np.bincount(quantile_classes(values, RISK).index(values), minlength=5)
    assert counts.min() >= 8
    assert counts.max() <= 12


def test_a_value_on_a_limit_belongs_to_the_class_above_and_the_last_limit_to_the_last():
    classes = given_classes([0, 1, 10, 100], RISK)
    assert classes.index([0, 1, 9.99, 10, 100]).tolist() == [0, 1, 1, 2, 2]


def test_equal_values_make_one_class():
    assert len(quantile_classes([0.5, 0.5, 0.5], RISK).colours) == 1


def test_log_classes_are_decades():
    assert log_classes([3, 40, 20_000], TRUST).limits == (1, 10, 100, 1_000, 10_000, 100_000)


def test_nothing_known_makes_an_empty_legend_not_an_error():
    assert len(quantile_classes([], RISK).colours) == len(log_classes([np.nan], RISK).colours) == 1


def test_limits_that_do_not_ascend_are_refused():
    with pytest.raises(InputError, match="must ascend"):
        Classes((0, 2, 1), ("#000000", "#ffffff"))


def _lightness(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = float(np.dot(linear, (0.2126, 0.7152, 0.0722)))
    return 116 * np.cbrt(y) - 16 if y > 0.008856 else 903.3 * y


@pytest.mark.parametrize("palette", [RISK, TRUST, COST])
def test_palettes_can_be_read_without_colour(palette):
    """CIE lightness runs one way, in steps of more than twice the 2.3 that is just noticeable."""
    steps = np.diff([_lightness(colour) for colour in given_classes(range(7), palette).colours])
    assert (steps < -4.6).all() or (steps > 4.6).all()


@pytest.mark.parametrize("palette", [RISK, TRUST, COST])
def test_no_status_looks_like_a_class(palette):
    """A face without a figure is grey: its channels differ by nothing; those of a class do."""
    for style in STATUSES.values():
        if style.face:
            assert np.ptp(to_rgb(style.face)) == 0
    assert min(np.ptp(to_rgb(colour)) for colour in given_classes(range(7), palette).colours) > 0.04
