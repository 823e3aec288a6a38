// The parts of single counties, where a key shows county and ZIP code: policy_sim/formulas/county_parts.py.
//
// A cell of n people and a part of the chance x = c p / b a bin enter every figure as a factor times (1 - x)^n, and with
// s stale records for each listed person times exp(-s n x). While n x is small, that is a power series in x whose
// coefficients are sums over the cells alone; without stale records, the ways to choose j of their people. They are added
// up once for a county, whatever the coverage, the share in the file and the group size.

const SURELY_TAKEN = 60; // people in a bin on average: it is never empty
const MOST_IN_SERIES = 2; // people in a bin on average: beyond, the terms of the series cancel
const TERMS = 36; // (2 n x)^36 / 36! is below 1e-15 there

/**
 * The cells of a county that hide as many bins, sorted by people. On a list, with the chance that their people are on it
 * and the stale records for each of those who are; else everyone has the chance that is asked for. Where w is the part of
 * the cells that is released, it may be that of their listed people, or of the others: "of" says whose figures these are.
 */
class AlikeCells {
  constructor({ bins, n, w, chance = null, gone = 0, of = "all" }) {
    Object.assign(this, { bins, n, w, chance, gone, of });
    this.sums = [];
  }

  /** How many cells hold no more people than a limit. */
  upTo(limit) {
    const { n } = this;
    if (n[n.length - 1] <= limit) return n.length;
    let [low, high] = [0, n.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (n[middle] <= limit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where the cells begin that are too large for the series of a chance x. */
  endOf(x) {
    return this.upTo(2 ** Math.floor(Math.log2(MOST_IN_SERIES / x))); // few different ends, so that few sums are made
  }

  /** Of the cells before an end: the coefficients of the series, up to so many terms or more. */
  coefficients(end, terms) {
    let before = null; // the most that is known of it
    for (const each of this.sums) if (each.end <= end && each.terms >= terms && !(before?.end >= each.end)) before = each;
    if (before?.end === end) return before.series;
    const known = before?.terms ?? terms;
    const made = { end, terms: known, sums: this.gone ? staleSums(known, before?.sums) : Float64Array.from({ length: known + 3 }, (_, j) => before?.sums[j] ?? 0) };
    for (let i = before?.end ?? 0; i < end; i++) {
      if (this.gone) addWithStale(made.sums, this.n[i], this.w[i], this.gone * this.n[i]);
      else addChoices(made.sums, this.n[i], this.w[i]);
    }
    made.series = this.gone ? { one: made.sums[0], two: made.sums[1], oneMore: made.sums[2] } : seriesOfWays(made.sums, known);
    this.sums.push(made);
    return made.series;
  }
}

/**
 * With t = x u, the entries of a bin other than one person have at 1 - u the generating function of n (1 - t)^(n - 1).
 * Coefficients of (-t)^j, added up over cells: one, of that; two, of n (n - 1) (1 - t)^(n - 2); more, the same as one times n.
 */
function seriesOfWays(ways, terms) {
  const of = (use) => Float64Array.from({ length: terms + 1 }, (_, j) => use(j));
  return { one: of((j) => (j + 1) * ways[j + 1]), two: of((j) => (j + 1) * (j + 2) * ways[j + 2]), oneMore: null };
}

/** With stale records, of which a bin has s t on average: the same times exp(-s t), in the order one, two, more. */
function staleSums(terms, before) {
  return Array.from({ length: 3 }, (_, i) => (before ? before[i].slice() : new Float64Array(terms + 1)));
}

function addWithStale([one, two, oneMore], people, times, stale) {
  const terms = one.length - 1;
  const most = Math.min(people, 2);
  // (1 - t)^(n - most) exp(-s t) by a differential equation, a further factor (1 - t) by sums of neighbors
  FACTOR[0] = 1;
  for (let j = 0; j < terms; j++) FACTOR[j + 1] = ((people - most - j + stale) * FACTOR[j] + (j ? stale * FACTOR[j - 1] : 0)) / (j + 1);
  if (most === 2) {
    for (let j = 0; j <= terms; j++) two[j] += times * people * (people - 1) * FACTOR[j];
    for (let j = terms; j > 0; j--) FACTOR[j] += FACTOR[j - 1];
  }
  for (let j = 0; j <= terms; j++) {
    one[j] += times * people * FACTOR[j];
    oneMore[j] += times * people * people * FACTOR[j];
  }
}
const FACTOR = new Float64Array(64);

const MOST_LISTED = 1024; // people of a cell: up to here the ways to choose are in a table
const ROW = TERMS + 3;
const CHOICES = { table: new Float64Array(MOST_LISTED * ROW), listed: 0 };

/** Add the ways to choose 0, 1, ... of some people, as often as there are such cells. */
function addChoices(ways, people, times) {
  const { table } = CHOICES;
  if (people < MOST_LISTED) {
    while (CHOICES.listed <= people) listChoices(table, CHOICES.listed++);
    const row = people * ROW;
    const last = Math.min(people + 1, ways.length);
    for (let j = 0; j < last; j++) ways[j] += times * table[row + j];
    return;
  }
  for (let j = 0, term = times; j < ways.length; j++) {
    ways[j] += term;
    term *= (people - j) / (j + 1);
  }
}

function listChoices(table, people) {
  for (let j = 0, term = 1; j < ROW && term; j++) {
    table[people * ROW + j] = term;
    term *= (people - j) / (j + 1);
  }
}

/** How many terms a series in n x needs. */
function termsFor(mean) {
  let term = 1;
  let terms = 0;
  while (term > 1e-15 && terms < TERMS) term *= (2 * mean) / ++terms;
  return Math.max(terms, 3);
}

/** The number of ways to choose k of j, for j = 0 to TERMS + 1. */
function choicesOf(k) {
  return Float64Array.from({ length: TERMS + 2 }, (_, j) => {
    let ways = j < k ? 0 : 1;
    for (let i = 0; i < k && ways; i++) ways *= (j - i) / (i + 1);
    return ways;
  });
}

/** The ways to choose g - 1 of 0, 1, ... terms: what the coefficients of the series of g-distinct are multiplied with. */
function factorsOfSize(g) {
  if (!FACTORS.has(g)) FACTORS.set(g, { g, ways: choicesOf(g - 1) });
  return FACTORS.get(g);
}
const FACTORS = new Map();

/** What parts of single counties reveal, county by county; with g = 1 the groups of g or fewer are those alone. */
function* measuringParts(groups, listed, inFile, g) {
  const sums = Object.fromEntries(["all", "listed", "left"].map((of) => [of, { risk: 0, alone: 0, distinct: 0, wrong: 0 }]));
  const size = g > 1 ? factorsOfSize(g) : null;
  for (const county of groups.counties) {
    for (const cells of alikeIn(county, inFile)) for (const p of county.shares) addPart(sums[cells.of], cells, partOf(cells, p, listed, inFile), size);
    yield;
  }
  const sum = sums.all;
  for (const name in sum) sum[name] += sums[name === "wrong" ? "left" : "listed"][name];
  return { risk: sum.risk, alone: sum.alone, distinct: g > 1 ? sum.distinct : sum.alone, claims: sum.alone + Math.max(sum.wrong, 0), correct: sum.alone };
}

/** What the formulas need of a part with the share p of a county, for its cells that are alike. */
function partOf({ bins, chance }, p, listed, inFile) {
  const held = inFile ?? 1;
  const c = (chance ?? listed) * held;
  return { p, c, x: (p * c) / bins, missed: held * (1 - (chance ?? listed)) };
}

function addPart(sum, cells, part, size) {
  const { n, gone } = cells;
  if (!n.length) return;
  const end = part.x < 1 ? cells.endOf(part.x * (1 + gone)) : 0; // the cells before it are added up by series
  if (end) addSeries(sum, cells, part, end, size);
  if (end < n.length) addCells(sum, cells, part, end, size);
}

function addSeries(sum, cells, { p, c, x, missed }, end, size) {
  const { gone, bins } = cells;
  const needed = termsFor(cells.n[end - 1] * x * (1 + gone));
  const series = cells.coefficients(end, needed);
  const { one, two, oneMore } = series;
  let [guess, alone, both, beside] = [0, 0, 0, 0];
  for (let j = needed; j >= 0; j--) {
    guess = one[j] / (j + 1) - x * guess;
    alone = one[j] - x * alone;
    both = two[j] - x * both;
    if (gone) beside = oneMore[j] - x * beside;
  }
  sum.risk += p * c * guess;
  sum.alone += p * c * alone;
  sum.wrong += missed * p * ((c / bins) * p * both + (gone ? gone * x * beside : 0));
  if (size) sum.distinct += p * c * (one[0] - beyondSize(series, x, needed, size));
}

/** Cells of many people in a bin, one by one. */
function addCells(sum, cells, part, start, size) {
  const { p, c, x, missed } = part;
  const { bins, n, w, gone } = cells;
  const miss = logMiss(bins, p * c);
  const [hit, odds] = [1 - x, x / (1 - x)];
  let [risk, alone, wrong] = [0, 0, 0];
  for (let i = start; i < n.length; i++) {
    const people = n[i];
    const times = w[i];
    const stale = people * x * gone;
    const none = Math.exp(-stale);
    if (stale) risk += times * people * p * c * meanOf(people, x, stale);
    if (x >= 1) {
      if (!stale) risk += times * bins;
      if (people === 1) alone += times * none;
      continue;
    }
    if (!stale && (people - 1) * x > SURELY_TAKEN) {
      for (; i < n.length; i++) risk += w[i] * bins; // every larger cell leaves no bin empty
      break;
    }
    const empty = onePlace(people, miss);
    const single = times * people * p * c * (empty / hit);
    if (!stale) risk += bins * times * (1 - empty);
    alone += single * none;
    wrong += none * ((c / bins) * times * people * (people - 1) * p * p * (empty / (hit * hit)) + (stale ? (stale / c) * single : 0));
  }
  sum.risk += risk;
  sum.alone += alone;
  sum.wrong += missed * wrong;
  if (size) sum.distinct += distinctInCells(cells, part, start, size.g);
}

/** The people of cells of many people in a bin who share it with fewer than g others. */
function distinctInCells({ bins, n, w, gone }, { p, c, x }, start, g) {
  const [, highest] = openFor(g);
  let distinct = 0;
  for (let i = start; i < n.length; i++) {
    const people = n[i];
    const stale = people * x * gone;
    if (x < 1 && (people - 1) * x > highest) break;
    distinct += w[i] * distinctUpTo(people, bins, g, p * c, people, stale);
  }
  return distinct;
}

/** The expected people in bins of at most g people, for g = 1 to most, in parts of single counties. */
function distinctInParts(groups, listed, inFile, most) {
  const factors = Array.from({ length: most + 1 }, (_, g) => (g && g <= TERMS ? factorsOfSize(g) : null));
  const upTo = new Float64Array(most + 1);
  let always = 0; // people whose bins are surely small
  for (const county of groups.counties) {
    for (const cells of alikeIn(county, inFile)) for (const p of cells.of === "left" ? [] : county.shares) {
      const { n, gone } = cells;
      const part = partOf(cells, p, listed, inFile);
      const { c, x } = part;
      const end = x < 1 ? cells.endOf(x * (1 + gone)) : 0;
      if (end) {
        const needed = termsFor(n[end - 1] * x * (1 + gone));
        const series = cells.coefficients(end, needed);
        always += p * c * series.one[0];
        for (let g = 1; g <= needed && g <= most; g++) upTo[g] += p * c * -beyondSize(series, x, needed, factors[g]);
      }
      if (end < n.length) for (let g = 1; g <= most; g++) upTo[g] += distinctInCells(cells, part, end, g);
    }
  }
  return upTo.map((people, g) => (g ? people + always : 0));
}

/** Of a series: the share of the people in bins of more than g, without the factor of the part. */
function beyondSize({ one }, x, needed, { g, ways }) {
  let beyond = 0;
  for (let j = needed; j >= g; j--) beyond = ways[j - 1] * one[j] - x * beyond;
  return x ** g * beyond; // the lower powers of x cancel
}
