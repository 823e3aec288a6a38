// The parts of single counties, where a key shows county and ZIP code: policy_sim/formulas/county_parts.py.
//
// A cell of n people and a part of the chance x = c p / b a bin enter every figure as a factor times (1 - x)^n. While
// n x is small, that is a power series in x whose coefficients are sums over the cells alone: the ways to choose j of
// their people. They are added up once for a county, whatever the coverage, the share in the file and the group size.

const MOST_IN_SERIES = 2; // people in a bin on average: beyond, the terms of the series cancel
const TERMS = 36; // (2 n x)^36 / 36! is below 1e-15 there

/** The cells of a county that hide as many bins, sorted by people. */
class AlikeCells {
  constructor({ bins, n, w }, residents) {
    Object.assign(this, { bins, n, w, residents });
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

  /** Of the cells before an end: the ways to choose j of the people, and of j more besides a pair of a small cell. */
  waysOf(end, terms) {
    const known = this.choices(end, terms);
    if (!known.pairs) {
      const { ways } = this.choices(Math.min(end, this.small), known.terms);
      known.pairs = Float64Array.from({ length: known.terms + 1 }, (_, j) => (j + 1) * (j + 2) * ways[j + 2]);
    }
    return known;
  }

  /** The ways to choose j of the people of the cells before an end, for j up to two more than the terms. */
  choices(end, terms) {
    let before = null; // the most that is known of it
    for (const each of this.sums) if (each.end <= end && each.terms >= terms && !(before?.end >= each.end)) before = each;
    if (before?.end === end) return before;
    const made = { end, terms: before?.terms ?? terms, ways: new Float64Array((before?.terms ?? terms) + 3), pairs: null };
    if (before) made.ways.set(before.ways);
    for (let i = before?.end ?? 0; i < end; i++) addChoices(made.ways, this.n[i], this.w[i]);
    this.sums.push(made);
    return made;
  }
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

/** What the coefficients of the series of g-distinct are multiplied with: for the cells, and for the pairs. */
function factorsOfSize(g) {
  if (!FACTORS.has(g)) FACTORS.set(g, factorsMade(g));
  return FACTORS.get(g);
}
const FACTORS = new Map();

function factorsMade(g) {
  const [before, now] = [choicesOf(g - 1), choicesOf(g)];
  const cells = new Float64Array(TERMS + 1);
  for (let j = g; j <= TERMS; j++) cells[j] = before[j - 1] * (j + 1);
  return { g, cells, pairs: now.map((ways, j) => (g + 1) * before[j] + g * ways) };
}

/** What parts of single counties reveal, county by county; with g = 1 the groups of g or fewer are those alone. */
function* measuringParts(groups, listed, inFile, g) {
  const held = inFile ?? 1;
  const sum = { risk: 0, alone: 0, distinct: 0, wrong: 0 };
  const size = g > 1 ? factorsOfSize(g) : null;
  for (const { shares, alike } of groups.counties) {
    for (const cells of alike) for (const p of shares) addPart(sum, cells, p, listed * held, size);
    yield;
  }
  const wrong = listed === 1 ? 0 : Math.max(sum.wrong, 0) * held * (1 - listed);
  return { risk: sum.risk, alone: sum.alone, distinct: g > 1 ? sum.distinct : sum.alone, claims: sum.alone + wrong, correct: sum.alone };
}

function addPart(sum, cells, p, c, size) {
  const { bins, n } = cells;
  if (!n.length) return;
  const x = (p * c) / bins;
  const less = (p * (1 - p)) / (2 * cells.residents);
  const part = { p, c, x, less, rare: bins * (c / bins) ** 2 * less };
  const end = x < 1 ? cells.endOf(x) : 0;
  if (end) addSeries(sum, cells, part, end, size);
  const small = p < 1 ? cells.small : n.length; // a part that is the whole county has all of its people
  if (end < small) addCells(sum, cells, part, end, small, size);
  for (let i = Math.max(end, small); i < n.length; i++) addLarge(sum, cells, part, i, size);
}

/** A cell that is a large part of the county. */
function addLarge(sum, cells, part, i, size) {
  const { bins, w } = cells;
  const hit = part.c / bins;
  const cell = { people: cells.n[i], residents: cells.residents, p: part.p };
  const { taken, first, second } = countedBin(cell, hit);
  sum.risk += w[i] * bins * taken;
  sum.alone += w[i] * part.c * first;
  sum.wrong += w[i] * hit * second;
  if (!size) return;
  countedChances(cell, hit, size.g).forEach((chance, people) => (sum.distinct += w[i] * bins * people * chance));
}

function addSeries(sum, cells, { p, c, x, less, rare }, end, size) {
  const needed = termsFor(cells.n[end - 1] * x);
  const { ways, pairs } = cells.waysOf(end, needed);
  let [taken, one, both, fixed, alone, wrong] = [0, 0, 0, 0, 0, 0];
  for (let j = needed; j >= 0; j--) {
    const pair = pairs[j];
    taken = ways[j + 1] - x * taken;
    one = (j + 1) * ways[j + 1] - x * one;
    if (j < needed) both = (j + 1) * (j + 2) * ways[j + 2] - x * both;
    fixed = pair - x * fixed;
    alone = (2 + j) * pair - x * alone;
    wrong = (2 + 4 * j + j * (j - 1)) * pair - x * wrong;
  }
  sum.risk += cells.bins * x * taken + rare * fixed;
  sum.alone += p * c * one + rare * alone;
  sum.wrong += (c / cells.bins) * (p * p * both - less * wrong);
  if (!size) return;
  const sums = { ways, pairs };
  sum.distinct += p * c * (ways[1] - beyondSize(sums, x, needed, size)) + rare * nearSize(sums, x, needed, size);
}

/** Cells of many people in a bin, one by one. */
function addCells(sum, cells, part, start, stop, size) {
  const { p, c, x, less, rare } = part;
  const { bins, n, w } = cells;
  const miss = logMiss(bins, p * c);
  const [hit, odds] = [1 - x, x / (1 - x)];
  let [risk, alone, wrong] = [0, 0, 0];
  for (let i = start; i < stop; i++) {
    const people = n[i];
    const times = w[i];
    if (x >= 1) {
      risk += times * bins;
      if (people === 1) alone += times;
      continue;
    }
    if ((people - 1) * x > SURELY_TAKEN) {
      for (; i < stop; i++) risk += w[i] * bins; // every larger cell leaves no bin empty
      break;
    }
    const empty = Math.exp(people * miss);
    const both = times * people * (people - 1);
    const pairs = both;
    const two = empty / (hit * hit); // (1 - x)^(n - 2)
    risk += rare * pairs * two + bins * times * (1 - empty);
    alone += times * people * p * c * (empty / hit) + rare * pairs * two * (2 - (people - 2) * odds);
    wrong += two * (both * p * p - less * pairs * (2 - 4 * odds * (people - 2) + odds * odds * (people - 2) * (people - 3)));
  }
  sum.risk += risk;
  sum.alone += alone;
  sum.wrong += (c / bins) * wrong;
  if (size) sum.distinct += distinctInCells(cells, part, start, stop, size.g);
}

/** The people of cells of many people in a bin who share it with fewer than g others. */
function distinctInCells({ bins, n, w }, { p, c, x, rare }, start, stop, g) {
  const miss = logMiss(bins, p * c);
  const odds = x / (1 - x);
  const [, highest] = openFor(g);
  let distinct = 0;
  for (let i = start; i < stop; i++) {
    const people = n[i];
    if (x >= 1) distinct += people <= g ? w[i] * people : 0;
    else if ((people - 1) * x > highest) break;
    else {
      distinct += w[i] * distinctUpTo(people, bins, g, p * c);
      distinct += rare * w[i] * people * (people - 1) * secondDifference(people - 2, odds, Math.exp((people - 2) * miss), g);
    }
  }
  return distinct;
}

/** (g + 1) P(g - 1) - g P(g) of a binomial of n whose P(0) and odds are given. */
function secondDifference(n, odds, none, g) {
  let chance = none;
  let before = 0;
  for (let k = 1; k <= g; k++) {
    before = chance;
    chance *= (Math.max(n - (k - 1), 0) / k) * odds;
  }
  return (g + 1) * before - g * chance;
}

/** The expected people in bins of at most g people, for g = 1 to most, in parts of single counties. */
function distinctInParts(groups, listed, inFile, most) {
  const c = listed * (inFile ?? 1);
  const factors = Array.from({ length: most + 1 }, (_, g) => (g && g <= TERMS ? factorsOfSize(g) : null));
  const upTo = new Float64Array(most + 1);
  let always = 0; // people whose bins are surely small
  for (const { shares, alike } of groups.counties) {
    for (const cells of alike) for (const p of shares) {
      const { bins, n } = cells;
      const x = (p * c) / bins;
      const less = (p * (1 - p)) / (2 * cells.residents);
      const part = { p, c, x, less, rare: bins * (c / bins) ** 2 * less };
      const end = x < 1 ? cells.endOf(x) : 0;
      if (end) {
        const needed = termsFor(n[end - 1] * x);
        const sums = cells.waysOf(end, needed);
        always += p * c * sums.ways[1];
        for (let g = 1; g <= needed && g <= most; g++) upTo[g] += p * c * -beyondSize(sums, x, needed, factors[g]) + part.rare * nearSize(sums, x, needed, factors[g]);
        if (needed < most) upTo[needed + 1] += part.rare * nearSize(sums, x, needed, factors[needed + 1]);
      }
      const small = p < 1 ? cells.small : n.length;
      if (end < small) for (let g = 1; g <= most; g++) upTo[g] += distinctInCells(cells, part, end, small, g);
      for (let i = Math.max(end, small); i < n.length; i++) {
        const chances = countedChances({ people: n[i], residents: cells.residents, p }, c / bins, most);
        for (let g = 1, people = 0; g <= most; g++) upTo[g] += people += cells.w[i] * bins * g * chances[g];
      }
    }
  }
  return upTo.map((people, g) => (g ? people + always : 0));
}

/** Of a series: the share of the people in bins of more than g, without the factor of the part. */
function beyondSize({ ways }, x, needed, { g, cells }) {
  let beyond = 0;
  for (let j = needed; j >= g; j--) beyond = cells[j] * ways[j + 1] - x * beyond;
  return x ** g * beyond; // the lower powers of x cancel
}

/** Of a series: what is lost because two people of a cell are more rarely in the same part. */
function nearSize({ pairs }, x, needed, { g, pairs: factors }) {
  let near = 0;
  for (let j = needed; j >= g - 1; j--) near = factors[j] * pairs[j] - x * near;
  return x ** (g - 1) * near;
}
