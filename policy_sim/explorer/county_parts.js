// The parts of single counties, where a key shows county and ZIP code: policy_sim/formulas/county_parts.py.
//
// A cell of n people and a part of the chance x = c p / b a bin enter every figure as a factor times (1 - x)^n, and with
// s stale records for each listed person times exp(-s n x). While n x is small, that is a power series in x whose
// coefficients are sums over the cells alone; without stale records, the ways to choose j of their people. They are added
// up once for a county, whatever the coverage, the share in the file and the group size.

const MOST_IN_SERIES = 2; // people in a bin on average: beyond, the terms of the series cancel
const TERMS = 36; // (2 n x)^36 / 36! is below 1e-15 there

/**
 * The cells of a county that hide as many bins, sorted by people. On a list, with the chance that their people are on it
 * and the stale records for each of those who are; else everyone has the chance that is asked for. Where w is the part of
 * the cells that is released, it may be that of their listed people, or of the others: "of" says whose figures these are.
 */
class AlikeCells {
  constructor({ bins, n, w, chance = null, gone = 0, of = "all" }, residents) {
    Object.assign(this, { bins, n, w, chance, gone, of, residents });
    this.most = SMALL_CELL * residents;
    this.small = this.upTo(this.most);
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
    return this.upTo(Math.min(2 ** Math.floor(Math.log2(MOST_IN_SERIES / x)), this.most)); // few different ends, so that few sums are made
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
    made.series = this.gone ? seriesWithStale(made.sums) : seriesOfWays(made.sums, known);
    this.sums.push(made);
    return made.series;
  }
}

/**
 * With t = x u, the entries of a bin other than one person have at 1 - u the generating function of n (1 - t)^(n - 1).
 * Coefficients of (-t)^j, added up over cells: one, of that; two, of n (n - 1) (1 - t)^(n - 2); near and far, of what is
 * lost because two people of a cell are more rarely in the same part; more, the same as one and near times n.
 */
function seriesOfWays(ways, terms) {
  const of = (use) => Float64Array.from({ length: terms + 1 }, (_, j) => use(j, (j + 1) * (j + 2) * ways[j + 2]));
  return { one: of((j) => (j + 1) * ways[j + 1]), two: of((_, pairs) => pairs), near: of((j, pairs) => (2 + j) * pairs), far: of((j, pairs) => (2 + 4 * j + j * (j - 1)) * pairs), oneMore: null, nearMore: null };
}

/** With stale records, of which a bin has s t on average: the same times exp(-s t). Sums of four derivatives, three of them also times n. */
function staleSums(terms, before) {
  return Array.from({ length: 7 }, (_, i) => (before ? before[i].slice() : new Float64Array(terms + 1)));
}

function addWithStale(sums, people, times, stale) {
  const terms = sums[0].length - 1;
  const most = Math.min(people, 4);
  // (1 - t)^(n - most) exp(-s t) by a differential equation, each further factor (1 - t) by sums of neighbors
  FACTOR[0] = 1;
  for (let j = 0; j < terms; j++) FACTOR[j + 1] = ((people - most - j + stale) * FACTOR[j] + (j ? stale * FACTOR[j - 1] : 0)) / (j + 1);
  let choices = times;
  for (let taken = 0; taken < most; taken++) choices *= people - taken;
  for (let taken = most; taken > 0; taken--) {
    const [own, more] = [sums[taken - 1], taken < 4 ? sums[taken + 3] : null];
    for (let j = 0; j <= terms; j++) {
      own[j] += choices * FACTOR[j];
      if (more) more[j] += choices * people * FACTOR[j];
    }
    for (let j = terms; j > 0; j--) FACTOR[j] += FACTOR[j - 1];
    choices /= people - taken + 1;
  }
}
const FACTOR = new Float64Array(64);

function seriesWithStale([one, two, three, four, oneMore, twoMore, threeMore]) {
  const of = (use) => one.map((_, j) => use(j));
  const at = (sums, j) => (j < 0 ? 0 : sums[j]);
  return { one, two, near: of((j) => 2 * two[j] + at(three, j - 1)), far: of((j) => 2 * two[j] + 4 * at(three, j - 1) + at(four, j - 2)), oneMore, nearMore: of((j) => 2 * twoMore[j] + at(threeMore, j - 1)) };
}

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
function partOf({ bins, residents, chance }, p, listed, inFile) {
  const held = inFile ?? 1;
  const c = (chance ?? listed) * held;
  const less = (p * (1 - p)) / (2 * residents);
  return { p, c, x: (p * c) / bins, less, rare: bins * (c / bins) ** 2 * less, missed: held * (1 - (chance ?? listed)) };
}

/** Which cells of a part are added up by series, one by one, and as large parts of the county. */
function endsOf(cells, { p, x }) {
  const end = x < 1 ? cells.endOf(x * (1 + cells.gone)) : 0;
  const small = p < 1 ? cells.small : cells.n.length; // a part that is the whole county has all of its people
  return [end, Math.max(end, small)];
}

function addPart(sum, cells, part, size) {
  const { n } = cells;
  if (!n.length) return;
  const [end, small] = endsOf(cells, part);
  if (end) addSeries(sum, cells, part, end, size);
  if (end < small) addCells(sum, cells, part, end, small, size);
  for (let i = small; i < n.length; i++) addLarge(sum, cells, part, i, size);
}

/** A cell that is a large part of the county. */
function addLarge(sum, cells, part, i, size) {
  const { bins, w } = cells;
  const hit = part.c / bins;
  const cell = { people: cells.n[i], residents: cells.residents, p: part.p };
  const stale = cell.people * part.x * cells.gone;
  const { taken, first, second } = countedBin(cell, hit, stale);
  const none = Math.exp(-stale);
  sum.risk += w[i] * bins * taken;
  sum.alone += w[i] * part.c * first * none;
  sum.wrong += part.missed * w[i] * none * (hit * second + stale * first);
  if (!size) return;
  const upTo = upToStale(stale, size.g);
  countedChances(cell, hit, size.g).forEach((chance, people) => (sum.distinct += w[i] * bins * people * chance * upTo[size.g - people]));
}

function addSeries(sum, cells, { p, c, x, less, rare, missed }, end, size) {
  const { gone, bins } = cells;
  const needed = termsFor(cells.n[end - 1] * x * (1 + gone));
  const series = cells.coefficients(end, needed);
  const { one, two, near, far, oneMore, nearMore } = series;
  let [guess, pairs, alone, fixed, both, wrong, beside, besidePairs] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let j = needed; j >= 0; j--) {
    guess = one[j] / (j + 1) - x * guess;
    pairs = near[j] / (j + 2) - x * pairs;
    alone = one[j] - x * alone;
    fixed = near[j] - x * fixed;
    both = two[j] - x * both;
    wrong = far[j] - x * wrong;
    if (!gone) continue;
    beside = oneMore[j] - x * beside;
    besidePairs = nearMore[j] - x * besidePairs;
  }
  sum.risk += p * c * guess + rare * pairs;
  sum.alone += p * c * alone + rare * fixed;
  sum.wrong += missed * ((c / bins) * (p * p * both - less * wrong) + (gone ? gone * x * (p * beside + (rare / c) * besidePairs) : 0));
  if (size) sum.distinct += p * c * (one[0] - beyondSize(series, x, needed, size)) + rare * nearSize(series, x, needed, size);
}

/** Cells of many people in a bin, one by one. */
function addCells(sum, cells, part, start, stop, size) {
  const { p, c, x, less, rare, missed } = part;
  const { bins, n, w, gone } = cells;
  const miss = logMiss(bins, p * c);
  const [hit, odds] = [1 - x, x / (1 - x)];
  let [risk, alone, wrong] = [0, 0, 0];
  for (let i = start; i < stop; i++) {
    const people = n[i];
    const times = w[i];
    const stale = people * x * gone;
    const none = Math.exp(-stale);
    if (stale) {
      const [main, squares] = meanOf(people, x, stale);
      // of what the pairs lose, u^2 (1 - x u)^(n - 2): by parts
      const pairs = people > 1 ? Math.exp((people - 2) * miss - stale) + stale * squares : 0;
      risk += times * people * (p * c * main + (rare ? rare * (people - 1) * pairs : 0));
    }
    if (x >= 1) {
      if (!stale) risk += times * bins;
      if (people === 1) alone += times * none;
      continue;
    }
    if (!stale && (people - 1) * x > SURELY_TAKEN) {
      for (; i < stop; i++) risk += w[i] * bins; // every larger cell leaves no bin empty
      break;
    }
    const empty = Math.exp(people * miss);
    const pairs = times * people * (people - 1);
    const two = empty / (hit * hit); // (1 - x)^(n - 2)
    const single = times * people * p * c * (empty / hit) + rare * pairs * two * (2 - (people - 2) * odds);
    if (!stale) risk += rare * pairs * two + bins * times * (1 - empty);
    alone += single * none;
    wrong += none * ((c / bins) * two * (pairs * p * p - less * pairs * (2 - 4 * odds * (people - 2) + odds * odds * (people - 2) * (people - 3))) + (stale ? (stale / c) * single : 0));
  }
  sum.risk += risk;
  sum.alone += alone;
  sum.wrong += missed * wrong;
  if (size) sum.distinct += distinctInCells(cells, part, start, stop, size.g);
}

/** The people of cells of many people in a bin who share it with fewer than g others. */
function distinctInCells({ bins, n, w, gone }, { p, c, x, rare }, start, stop, g) {
  const miss = logMiss(bins, p * c);
  const odds = x / (1 - x);
  const [, highest] = openFor(g);
  let distinct = 0;
  for (let i = start; i < stop; i++) {
    const people = n[i];
    const stale = people * x * gone;
    if (x < 1 && (people - 1) * x > highest) break;
    distinct += w[i] * distinctUpTo(people, bins, g, p * c, people, stale);
    if (x < 1 && people > 1) distinct += rare * w[i] * people * (people - 1) * secondDifference(people - 2, odds, Math.exp((people - 2) * miss), g, stale);
  }
  return distinct;
}

/** (g + 1) P(g - 1) - g P(g) of a binomial of n whose P(0) and odds are given; of fewer people for each stale record. */
function secondDifference(n, odds, none, g, stale) {
  const upTo = stale ? upToStale(stale, g) : null;
  let chance = none;
  let sum = 0;
  for (let k = 1; k <= g; k++) {
    const before = chance;
    chance *= (Math.max(n - (k - 1), 0) / k) * odds;
    if (upTo) sum += (upTo[g - k] - (k < g ? upTo[g - k - 1] : 0)) * ((k + 1) * before - k * chance);
    else if (k === g) sum = (g + 1) * before - g * chance;
  }
  return sum;
}

/** The expected people in bins of at most g people, for g = 1 to most, in parts of single counties. */
function distinctInParts(groups, listed, inFile, most) {
  const factors = Array.from({ length: most + 1 }, (_, g) => (g && g <= TERMS ? factorsOfSize(g) : null));
  const upTo = new Float64Array(most + 1);
  let always = 0; // people whose bins are surely small
  for (const county of groups.counties) {
    for (const cells of alikeIn(county, inFile)) for (const p of cells.of === "left" ? [] : county.shares) {
      const { bins, n, gone } = cells;
      const part = partOf(cells, p, listed, inFile);
      const { c, x } = part;
      const [end, small] = endsOf(cells, part);
      if (end) {
        const needed = termsFor(n[end - 1] * x * (1 + gone));
        const series = cells.coefficients(end, needed);
        always += p * c * series.one[0];
        for (let g = 1; g <= needed && g <= most; g++) upTo[g] += p * c * -beyondSize(series, x, needed, factors[g]) + part.rare * nearSize(series, x, needed, factors[g]);
        if (needed < most) upTo[needed + 1] += part.rare * nearSize(series, x, needed, factors[needed + 1]);
      }
      if (end < small) for (let g = 1; g <= most; g++) upTo[g] += distinctInCells(cells, part, end, small, g);
      for (let i = small; i < n.length; i++) {
        const chances = countedChances({ people: n[i], residents: cells.residents, p }, c / bins, most);
        const stale = n[i] * x * gone;
        for (let g = 1; g <= most; g++) {
          const atMost = upToStale(stale, g);
          for (let people = 1; people <= g; people++) upTo[g] += cells.w[i] * bins * people * chances[people] * atMost[g - people];
        }
      }
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

/** Of a series: what is lost because two people of a cell are more rarely in the same part. */
function nearSize({ near: pairs }, x, needed, { g, ways }) {
  let near = 0;
  for (let j = needed; j >= g - 1; j--) near = ways[j] * pairs[j] - x * near;
  return x ** (g - 1) * near;
}
