"""Make the constants of the range that ``dataset estimate`` prints first, from simulated populations.

    python -m benchmarks.calibrate_estimates --samples 2500 --workers 2

draws populations of many shapes and one sample of each, compares what the models say of the sample with the truth, and
writes the end of policy_sim/estimators/first.py. It takes some minutes. It reads no file of real people and no
census: those are what the range is tested on (``python -m benchmarks.estimators coverage``).
"""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import policy_sim.estimators.log_linear as underfit_module
from policy_sim.estimators import ESTIMATORS, ClassTable, Estimate
from policy_sim.estimators.base import Answer, poisson_inverse_slopes
from policy_sim.estimators.first import Features, center_terms, features_of, spread_terms
from policy_sim.estimators.log_linear import LogLinearSearch, expected_matches, fit_beside
from policy_sim.words.arrays import FloatArray, IntArray

FRACTIONS = (0.01, 0.7)
PEOPLE_PER_CELL = (0.4, 25.0)
FEWEST_PEOPLE, FEWEST_RECORDS = 2_000, 100
CELLS = (300, 15_000)
SEED = 22
MEASURES = ("uniqueness", "marketer_risk")

# In this share of the populations people come in groups that share all values (dormitories, or a survey whose records
# are repeated until they make a population), of up to so many on average: fewer are alone than the shares of the cells
# say, and no model of the shares sees it.
IN_GROUPS, LARGEST_GROUP = 0.3, 1.5

# The shares of the simulations whose truth lies below and above the range. To overlook unique people is the worse
# error, so the upper end is the surer one; the lower one leaves the ends less than three times apart, in the median,
# at a fraction of 10%.
BELOW, ABOVE = 0.05, 0.005
_CENTER_PENALTY, _SPREAD_PENALTY, _ROUNDS, _FOLDS = 30.0, 10.0, 4, 10
_EDGE = 0.001  # share of the simulations beyond each end of a feature that the calibration does not vouch for
_FILE = Path(__file__).parents[1] / "policy_sim" / "estimators" / "first.py"
_BEGIN = "# The constants, written from here on by"


def _levels(rng: np.random.Generator) -> list[int]:
    """Draw the number of values of each of 3 to 5 fields: often an age, often a place, and small ones."""
    while True:
        fields = int(rng.choice([3, 4, 4, 5, 5]))
        levels = [int(rng.integers(2, 17)) for _ in range(fields)]
        if rng.random() < 0.75:
            levels[0] = int(rng.integers(15, 101))
        if rng.random() < 0.5:
            levels[1] = int(rng.integers(5, 90))
        if CELLS[0] <= math.prod(levels) <= CELLS[1]:
            return levels


def _shares(levels: int, rng: np.random.Generator) -> FloatArray:
    """Draw the shares of a field's values: even, falling, smooth like ages, or a few common values and many rare."""
    kind, at = rng.integers(6), np.arange(levels)
    if kind == 0:
        shares = rng.gamma(20, 1, levels)
    elif kind == 1:
        shares = (1.0 + at) ** -rng.uniform(0.4, 3.0)
    elif kind == 2:
        place = np.linspace(0, 1, levels)
        waves = sum(rng.normal(0, 0.5) * np.cos(np.pi * k * place + rng.uniform(0, 6)) for k in (1, 2, 3))
        shares = np.exp(waves - rng.uniform(0, 8) * place ** rng.uniform(1, 6))
    elif kind == 3:
        shares = np.exp(rng.normal(0, rng.uniform(0.4, 2.5), levels))
    elif kind == 4:
        shares = np.exp(-at * rng.uniform(3, 10) / levels)
    else:
        common = rng.random(levels) < rng.uniform(0.1, 0.5)
        shares = np.where(common, 1.0, 10 ** -rng.uniform(1, 3)) * rng.gamma(2, 1, levels)
    return np.asarray(shares / shares.sum() + 1e-9)


def _varied(base: FloatArray, rows: int, rng: np.random.Generator) -> FloatArray:
    """Draw shares like ``base``, one row for each kind of people: redrawn, reweighted, or moved along."""
    kind = rng.integers(3)
    if kind == 0:
        table = rng.gamma(10 ** rng.uniform(0.5, 3.5) * base + 1e-3, 1, (rows, base.size)) + 1e-12
    elif kind == 1:
        table = base * rng.gamma(10 ** rng.uniform(-0.3, 2.0), 1, (rows, base.size)) + 1e-12
    else:
        most = max(2, int(base.size * rng.uniform(0, 0.6)))
        steps = np.sort(rng.integers(0, most, rows)) if rng.random() < 0.5 else rng.integers(0, most, rows)
        table = base[(np.arange(base.size) - steps[:, None]) % base.size]
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _outer(parts: list[FloatArray]) -> FloatArray:
    joint = np.ones(1)
    for part in parts:
        joint = np.multiply.outer(joint, part)
    return np.asarray(joint[0])


def _along(values: FloatArray, axes: tuple[int, ...], fields: int) -> FloatArray:
    """Return an array over these ascending axes, ready to be multiplied with a table of all fields."""
    return values.reshape([values.shape[axes.index(axis)] if axis in axes else 1 for axis in range(fields)])


def _latent(base: list[FloatArray], rng: np.random.Generator) -> FloatArray:
    """Groups of people with margins of their own."""
    groups = int(rng.integers(2, 25))
    margins = [_varied(part, groups, rng) for part in base]
    weights = rng.dirichlet(np.full(groups, rng.choice([0.5, 2.0])))
    return np.asarray(sum(weights[g] * _outer([margin[g] for margin in margins]) for g in range(groups)))


def _chain(base: list[FloatArray], rng: np.random.Generator) -> FloatArray:
    """Each field's shares depend on one or two fields before it."""
    fields, levels = len(base), [part.size for part in base]
    joint = _along(base[0], (0,), fields)
    for field in range(1, fields):
        before = tuple(sorted(rng.choice(field, min(field, int(rng.integers(1, 3))), replace=False).tolist()))
        table = _varied(base[field], math.prod(levels[axis] for axis in before), rng)
        joint = joint * _along(table.reshape([*(levels[a] for a in before), levels[field]]), (*before, field), fields)
    return np.asarray(joint)


def _pairs(base: list[FloatArray], rng: np.random.Generator) -> FloatArray:
    """Every two fields may go together, in no order or rising with each other."""
    fields, joint, ordinal = len(base), _outer(base), rng.random() < 0.5
    for one, two in combinations(range(fields), 2):
        if rng.random() < 0.35:
            continue
        effect = rng.normal(0, rng.uniform(0.05, 1.2), (base[one].size, base[two].size))
        if ordinal:
            a, b = np.linspace(-1, 1, base[one].size), np.linspace(-1, 1, base[two].size)
            effect = rng.normal(0, 1.5) * np.multiply.outer(a, b) - rng.gamma(1, 1) * np.subtract.outer(a, b) ** 2
        joint = joint * np.exp(_along(effect, (one, two), fields))
    return np.asarray(joint)


def _joint(levels: list[int], rng: np.random.Generator) -> FloatArray:
    """Draw the shares of all cells of a population: margins, dependence, forbidden values, and noise."""
    fields, base = len(levels), [_shares(count, rng) for count in levels]
    shape = (lambda base, _: _outer(base), _latent, _chain, _chain, _pairs)[rng.integers(5)]
    joint = shape(base, rng)
    if rng.random() < 0.3:  # values that almost never go together, such as children and jobs
        one, two = sorted(rng.choice(fields, 2, replace=False).tolist())
        mask = np.ones((levels[one], levels[two]))
        mask[: 1 + levels[one] // int(rng.integers(2, 6)), 1:] = rng.choice([0.0, 1e-3, 0.03])
        joint = joint * _along(mask, (one, two), fields)
    if rng.random() < 0.25:  # what no two fields explain
        joint = joint * rng.gamma(10 ** rng.uniform(0.0, 2.0), 1, levels)
    return np.asarray(joint / joint.sum())


def _people(joint: FloatArray, people: int, rng: np.random.Generator) -> IntArray:
    """Draw the people of every cell, each on their own or in groups that share all values."""
    if rng.random() < IN_GROUPS:
        groups = round(people / math.exp(rng.uniform(0, math.log(LARGEST_GROUP))))
        joint = rng.multinomial(groups, joint) / groups
    return np.asarray(rng.multinomial(people, joint))


# The search asks for these slopes thousands of times; between the points of this table they err by less than 1e-5.
_GRID = np.concatenate([[0.0], np.logspace(-6, 7, 3000)])


@cache
def _slopes_on_grid(size: int) -> tuple[FloatArray, FloatArray]:
    return poisson_inverse_slopes(size, _GRID)


def _tabulated(size: int, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
    first, second = _slopes_on_grid(size)
    return np.interp(mean, _GRID, first), np.interp(mean, _GRID, second)


def _log_linear(table: ClassTable, people: int) -> Estimate:
    """Return the log-linear model's estimate, searched for three class sizes; the nearest stands for the others."""
    sample = table.sizes
    search = LogLinearSearch(table.dense(), sample.records / people, 1.645, "published", limit=50)
    searched = {int(sample.size[np.argmin(np.abs(sample.size - size))]) for size in (1, 3, 12)}
    models = {size: search.choose(size)[0] for size in sorted(searched)}
    matched, unique = expected_matches(search, models, search.counts)
    answer = Answer(
        uniques=unique * people / sample.records,
        marketer_risk=matched / sample.records,
        parameters=fit_beside(table, people, models[min(models)]),
    )
    return Estimate.of("poisson_log_linear", answer, sample, people)


def sample_of(seed: int) -> tuple[dict[str, Features], dict[str, float]] | None:
    """Draw a population and a sample of it; return the sample's features and the truth, or None without features."""
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(seed,)))
    levels = _levels(rng)
    people = round(math.prod(levels) * math.exp(rng.uniform(*map(math.log, PEOPLE_PER_CELL))))
    people = max(FEWEST_PEOPLE, people)
    records = round(math.exp(rng.uniform(*map(math.log, FRACTIONS))) * people)
    population = _people(_joint(levels, rng).ravel(), people, rng)
    if records < FEWEST_RECORDS:
        return None
    size = population[population > 0]
    drawn = rng.multivariate_hypergeometric(size, records, method="marginals")
    seen = drawn > 0
    codes = np.column_stack(np.unravel_index(np.flatnonzero(population), levels))[seen]
    table = ClassTable(codes, drawn[seen], tuple(f"field {i + 1}" for i in range(len(levels))))
    estimates = {name: model().estimate(table, people) for name, model in ESTIMATORS.items() if not model.needs_classes}
    features = features_of(table.sizes, people, estimates | {"poisson_log_linear": _log_linear(table, people)})
    if features is None:
        return None
    truth = {"uniqueness": float((size == 1).sum()), "marketer_risk": float(np.sum(drawn / size)) / records}
    return features, {measure: features[measure].log_of(truth[measure]) for measure in MEASURES}


def rows_of(seeds: range) -> list[tuple[list[float], ...]]:
    """Return the features of each sample, the logarithm of the truth last, one list per measure."""
    underfit_module.poisson_inverse_slopes = _tabulated
    answers = (sample_of(seed) for seed in seeds)
    return [
        tuple([*answer[0][measure].values.tolist(), answer[1][measure]] for measure in MEASURES)
        for answer in answers
        if answer is not None
    ]


def _ridge(terms: FloatArray, target: FloatArray, weight: FloatArray, penalty: float) -> FloatArray:
    """Return the weights of a penalized regression on standardized terms, the first of them a constant."""
    mean, deviation = terms.mean(axis=0), terms.std(axis=0) + 1e-12
    mean[0], deviation[0] = 0, 1
    scaled = (terms - mean) / deviation
    penalties = np.eye(scaled.shape[1]) * penalty
    penalties[0, 0] = 0
    solved = np.linalg.solve(scaled.T @ (weight[:, None] * scaled) + penalties, scaled.T @ (weight * target))
    weights = solved / deviation
    weights[0] -= np.sum(weights * mean)
    return np.asarray(weights)


def fit(values: FloatArray, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights of the center, as a correction of the log-linear model, and of the spread."""
    centers = np.array([center_terms(row) for row in values])
    spreads = np.array([spread_terms(row) for row in values])
    even = np.ones(len(truth))
    weight, off = even, truth - values[:, 0]
    for _ in range(_ROUNDS):
        center = _ridge(centers, off, weight, _CENTER_PENALTY)
        spread = _ridge(spreads, np.log(np.abs(off - centers @ center) + 0.01), even, _SPREAD_PENALTY)
        size = np.exp(spreads @ spread)
        weight = 1 / np.maximum(size, np.quantile(size, 0.05)) ** 2
        weight /= weight.mean()
    center[1] += 1
    return center, spread


def errors_in_spreads(values: FloatArray, truth: FloatArray) -> FloatArray:
    """Return each error over its spread, both from a fit that has not seen the sample."""
    fold = np.arange(len(truth)) % _FOLDS
    errors = np.zeros(len(truth))
    for part in range(_FOLDS):
        center, spread = fit(values[fold != part], truth[fold != part])
        for at in np.flatnonzero(fold == part):
            usual = math.exp(float(spread_terms(values[at]) @ spread))
            errors[at] = (truth[at] - float(center_terms(values[at]) @ center)) / usual
    return errors


def _numbers(name: str, numbers: FloatArray) -> Iterator[str]:
    texts = ", ".join(f"{float(f'{number:.6g}')!r}" for number in numbers)
    yield f"            {name}=("
    yield textwrap.fill(f"{texts},", 120, initial_indent=" " * 16, subsequent_indent=" " * 16, break_on_hyphens=False)
    yield "            ),"


def constants_of(tables: dict[str, FloatArray]) -> Iterator[str]:
    """Write the constants as Python, several numbers a line."""
    samples = len(tables["uniqueness"])
    yield f"{_BEGIN} ``python -m benchmarks.calibrate_estimates`` from {samples:,} simulated samples; do"
    yield "# not edit them by hand."
    yield "# fmt: off"
    yield "CALIBRATIONS: Mapping[str, Calibration] = MappingProxyType("
    yield "    {"
    for measure, table in tables.items():
        values, truth = table[:, :-1], table[:, -1]
        center, spread = fit(values, truth)
        low, high = np.quantile(errors_in_spreads(values, truth), [BELOW, 1 - ABOVE])
        yield f'        "{measure}": Calibration('
        yield from _numbers("center", center)
        yield from _numbers("spread", spread)
        yield f"            low={low:.4f},"
        yield f"            high={high:.4f},"
        yield from _numbers("least", np.quantile(values, _EDGE, axis=0))
        yield from _numbers("most", np.quantile(values, 1 - _EDGE, axis=0))
        yield "        ),"
    yield "    }"
    yield ")"


def main() -> None:
    """Simulate, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2500)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    parts = [range(start, min(start + 50, given.samples)) for start in range(0, given.samples, 50)]
    with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
        rows = [row for part in pool.map(rows_of, parts) for row in part]
    tables = {measure: np.array([row[at] for row in rows]) for at, measure in enumerate(MEASURES)}
    before = _FILE.read_text().partition(_BEGIN)[0]
    _FILE.write_text(before + "\n".join(constants_of(tables)) + "\n")
    print(f"{len(rows):,} of {given.samples:,} samples; wrote {_FILE}")


if __name__ == "__main__":
    main()
