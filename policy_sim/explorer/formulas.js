// The formulas of one group of n people and b bins, summed over many: policy_sim/formulas.

/** log(1 - x/b): the chance that a person is not in a given bin. */
function logMiss(b, x) {
  return x / b > 0.5 ? Math.log((b - x) / b) : Math.log1p(-x / b);
}

/** The chance that none of so many people is in a bin, (1 - x)^n; less 1 with Math.expm1, which keeps its digits. */
function onePlace(people, missed, power = Math.exp) {
  return people ? power(people * missed) : power(0);
}

/**
 * Add to the logarithm of the chance that a bin of a place has no entry what each piece has of it, for every cell; or what
 * the people of each class have of it, each with a logarithm, for the cells where they are.
 */
function severalPlaces(empty, pieces, many) {
  for (const { n, log, cells } of pieces) {
    if (cells) for (let k = 0; k < n.length; k++) empty[cells[k]] += log[k] * n[k];
    else for (let i = 0; i < many; i++) empty[i] += log * n[i];
  }
}

/** How likely a mean of so many stale records is 0, 1, ..., most of them or fewer; used at once. */
function upToStale(mean, most) {
  let [term, sum] = [Math.exp(-mean), 0];
  for (let k = 0; k <= most; k++) {
    STALE[k] = sum += term;
    term *= mean / (k + 1);
  }
  return STALE;
}
const STALE = new Float64Array(1024);

/**
 * Expected listed people of a group whose bin has g entries or fewer: theirs, those of the others, stale records. Of
 * others there are n - 1, each in the bin with chance x/b, and of stale records a mean.
 */
function distinctUpTo(n, b, g, x, people = n, stale = 0) {
  const listed = n * x;
  if (!stale && people <= g) return listed;
  const upTo = stale ? upToStale(stale, g - 1) : null;
  if (b === x) {
    const left = Math.trunc(g - n);
    return n > g ? 0 : upTo ? listed * upTo[left] : listed;
  }
  const odds = x / (b - x);
  let term = onePlace(n - 1, logMiss(b, x));
  let sum = upTo ? term * upTo[g - 1] : term;
  for (let k = 1; k < g; k++) {
    term *= Math.max((n - k) / k, 0) * odds;
    sum += upTo ? term * upTo[g - 1 - k] : term;
  }
  return Math.min(listed * sum, listed);
}

const FEW_ENTRIES = 400; // up to as many in a bin, groups on a list are not replaced by plain groups that are nearly alike
const FEW_OF_EACH = 32; // the same of a curve, which has every size
const LEAST_CHANCE = 1e-4; // of a trial: what is more even than this counts as this

/** A plain group, all of whom are listed with one chance, in which a bin has nearly the same spread of entries. */
function plainGroup(trials, b, x, stale) {
  const others = (trials - 1) * (x / b);
  const mean = others + stale;
  const chance = mean > 0 ? 1 - (others * (1 - x / b) + stale) / mean : x / b;
  const listed = Math.min(Math.max(chance, LEAST_CHANCE / b), 1 / b) * b;
  return { people: (mean / listed) * b + 1, listed };
}

function distinctOfMany(trials, b, g, x, stale) {
  const { people, listed } = plainGroup(trials, b, x, stale);
  return (trials * x * distinctUpTo(people, b, g, listed)) / (people * listed);
}

const MANY_BINS = 100; // from here on the mean share among them takes a shortcut that is off by less than 0.001%
const LEAST_TRIAL = 1e-12; // its chance, so that it can be divided by
const FAR = 32; // exp(-32) of an integral lies beyond the point up to which it is taken
const RATES = [0.5, 4, 12, Infinity]; // up to which so many nodes suffice: an integral is right to 1e-11 of itself
const MANY = [5, 8, 12, 20];

/** Where, and with what weights, a function is read for its integral from 0 to 1 (Gauss and Legendre). */
function nodesFor(rate) {
  const kind = RATES.findIndex((most) => rate < most);
  NODES[kind] ??= legendre(MANY[kind]);
  return NODES[kind];
}
const NODES = [];

function legendre(many) {
  const [at, weight] = [new Float64Array(many), new Float64Array(many)];
  for (let i = 0; i < many; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (many + 0.5));
    let slope = 1;
    for (let turn = 0; turn < 100; turn++) {
      let [now, before] = [x, 1];
      for (let k = 2; k <= many; k++) [now, before] = [((2 * k - 1) * x * now - (k - 1) * before) / k, now];
      slope = (many * (x * now - before)) / (x * x - 1);
      x -= now / slope;
      if (Math.abs(now / slope) < 1e-15) break;
    }
    at[i] = (1 - x) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
  return { at, weight };
}

/**
 * The mean of 1/(1 + K) over the other entries K of a bin: others with chance x each, and stale records of a mean. Of
 * many bins as if K were binomial, with its mean and variance.
 */
function meanShare(others, x, stale, bins) {
  if (bins >= MANY_BINS) {
    const mean = others * x + stale;
    const chance = Math.max((others * x * x) / mean, LEAST_TRIAL);
    return -onePlace(mean / chance + 1, Math.log1p(-chance), Math.expm1) / (mean + chance);
  }
  return meanOf(others + 1, x, stale);
}

const LEAST_RATE = 2; // from here on no digits are lost
const MOST_STALE = 0.5; // for each listed person: up to here an error shrinks fast

/**
 * The integral over u from 0 to 1 of (1 - x u)^(n - 1) exp(-s u).
 *
 * With y = 1 - x u and a = s / x it is made of F(n) = integral of y^(n - 1) exp(-a (1 - y)), by parts n F(n) =
 * 1 - a F(n + 1); where few are in a bin, by its values at some points.
 */
function meanOf(n, x, stale) {
  const rate = n * x + stale;
  const a = stale / x;
  if (rate > LEAST_RATE && a < MOST_STALE * n && n >= 2) {
    const below = onePlace(n - 1, Math.log1p(-x)) * Math.exp(-stale);
    const [, two] = complete(n - 1, a);
    return below ? (two - below * (1 - x) * complete(n - 1, a * (1 - x))[1]) / x : two / x;
  }
  const { at, weight } = nodesFor(rate);
  const end = Math.min(1, FAR / rate);
  let main = 0;
  for (let i = 0; i < at.length; i++) main += weight[i] * Math.exp((n - 1) * Math.log1p(-x * end * at[i]) - stale * end * at[i]);
  return main * end;
}

/** F(n), F(n + 1) and F(n + 2) of a: from far above downwards, where an error shrinks by a / n with each step. */
function complete(n, a) {
  const steps = a < 0.02 * n ? 10 : a < 0.15 * n ? 18 : 40;
  let value = 1 / (n + steps + a);
  let [next, second] = [0, 0];
  for (let step = steps - 1; step >= 0; step--) {
    [second, next] = [next, value];
    value = (1 - a * value) / (n + step);
  }
  return [value, next, second];
}

const THIN = 0.003; // below this chance of an entry the others of a bin count as their mean

/**
 * Correct links in a bin into which several kinds of people fall, each with its chance: formulas/stale.py. Of the bin the
 * logarithm of the chance of no entry, the sums of n x and of n x^2, and the mean of stale records, more than 0.
 */
function linksOfSums(empty, mean, squares, stale) {
  const entries = mean + stale;
  const chance = squares / mean;
  const ratio = (chance * stale) / entries;
  const filled = -onePlace(1, empty, Math.expm1);
  if (chance < THIN) return (mean / entries) * (filled + ((filled / -empty - 1 + filled) * ratio) / (1 - ratio));
  const people = mean / chance;
  const alike = -onePlace(1, people * Math.log1p(-chance) - stale, Math.expm1);
  return Math.max(mean * meanOf(people, chance, stale) + (mean / entries) * (filled - alike), 0);
}

const OUT_OF_THE_QUESTION = 1e-18; // of the people of a bin

/** Means between which it is open whether a bin holds g or fewer: of a sum of binomials less often than of Poisson. */
const OPEN = new Map();
function openFor(g) {
  if (!OPEN.has(g)) {
    const upTo = (mean, from, to) => {
      let [term, sum] = [Math.exp(-mean), 0];
      for (let k = 0; k <= to; k++) {
        if (k >= from) sum += term;
        term *= mean / (k + 1);
      }
      return sum;
    };
    const least = halved(0, g, (mean) => upTo(mean, g + 1, g + 400) < OUT_OF_THE_QUESTION);
    const most = halved(g, g + 500, (mean) => upTo(mean, 0, g) > OUT_OF_THE_QUESTION);
    OPEN.set(g, [least, most]);
  }
  return OPEN.get(g);
}

/** The size that a bin of this mean does not exceed. */
function largestFor(mean) {
  const up = Math.ceil(mean);
  if (!LARGEST[up]) {
    let size = up;
    while (openFor(size)[0] < up) size++;
    LARGEST[up] = size;
  }
  return LARGEST[up];
}
const LARGEST = [];

/** The greatest number, between a low and a high one, of which something is true. */
function halved(low, high, holds) {
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** What work in steps comes to. */
function atOnce(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As measured, in steps between which something else may be done. */
function* measuring(groups, listed, inFile, g) {
  if (groups.kind === "several") return measuredSeveral(groups, listed, inFile, g);
  if (groups.kind === "classed") return yield* measuringClassed(groups, listed, inFile, g);
  if (groups.kind === "parts") return yield* measuringParts(groups, listed, inFile, g);
  if (groups.kind === "placed") return yield* measuringPlaces(groups, listed, inFile, g);
  return measured(groups, listed, inFile, g);
}

/**
 * What a release of these groups reveals, in expected people (docs/model.md).
 *
 * groups: { n, b, w }: people, bins and how many groups are alike, or which part of one is released. listed: chance to be
 * on the list. Groups that know who is on the list have "on" besides: { people, chance, stale, left }, n then counts the
 * trials of that chance, w is of the listed, and left the same of those who are not. inFile: chance to be in the file,
 * where the attacker knows who is in it (of groups of several counties, of each); null where everyone is released.
 * g: the group size. Returns risk (correct links), alone, distinct (up to g), claims, correct.
 */
function measured(groups, listed, inFile, g) {
  if (groups.kind) return atOnce(measuring(groups, listed, inFile, g));
  const { n, b, w, on } = groups;
  const held = inFile ?? 1;
  let [risk, alone, distinct, wrong] = [0, 0, 0, 0];
  let [bins, chance, miss] = [-1, -1, 0]; // chance: to be somebody a record can be linked to
  for (let i = 0; i < n.length; i++) {
    const trials = n[i];
    const c = on ? on.chance[i] : listed;
    const people = on ? on.people[i] : trials;
    const stale = on && inFile === null ? on.stale[i] / b[i] : 0; // nobody who left is in a file that is known person by person
    if (b[i] !== bins || c * held !== chance) {
      [bins, chance] = [b[i], c * held];
      miss = logMiss(bins, chance);
    }
    const hit = trials * chance;
    risk += w[i] * (stale ? hit * meanShare(trials - 1, chance / bins, stale, bins) : Math.min(-bins * onePlace(trials, miss, Math.expm1), hit));
    const none = onePlace(Math.max(trials - 1, 0), miss) * (stale ? Math.exp(-stale) : 1);
    alone += w[i] * hit * none;
    if (on && g > FEW_ENTRIES) distinct += w[i] * distinctOfMany(trials, bins, g, chance, stale);
    else if (g > 1) distinct += w[i] * distinctUpTo(trials, bins, g, chance, people, stale);
    const missed = people - trials * c;
    if (missed > 1e-12) {
      const own = (trials === people ? chance : (hit * (1 - c)) / missed) / bins;
      const rest = Math.max(1 - own, 1e-300);
      const x = chance / bins;
      wrong += (((on ? on.left[i] : w[i]) * missed * held * none) / rest) * (Math.max(trials * x - ((1 - x) * own) / rest, 0) + stale * (1 - x));
    }
  }
  return { risk, alone, distinct: g > 1 ? distinct : alone, claims: alone + wrong, correct: alone };
}

/** For each group size the expected people in bins of that size: the steps of the curve. */
function sizesOf(groups, listed, inFile, most) {
  const { n, b, w, on } = groups;
  const sizes = new Float64Array(most + 1);
  for (let i = 0; i < n.length; i++) {
    let people = n[i];
    let chance = (on ? on.chance[i] : listed) * (inFile ?? 1);
    const all = w[i] * people * chance;
    if (on) ({ people, listed: chance } = plainGroup(people, b[i], chance, inFile === null ? on.stale[i] / b[i] : 0));
    if (b[i] === chance) {
      if (people <= most) sizes[Math.round(people)] += all;
      continue;
    }
    const odds = chance / (b[i] - chance);
    const trials = people - 1;
    const mode = Math.min(trials, Math.floor((people * chance) / b[i]));
    // from the mode outwards, as multiples of its chance; they add up to 1
    let whole = 1;
    const up = [1];
    for (let k = mode + 1, term = 1; k <= trials && term > 1e-20; k++) {
      term *= ((trials - k + 1) / k) * odds;
      up.push(term);
      whole += term;
    }
    const down = [];
    for (let k = mode, term = 1; k > 0 && term > 1e-20; k--) {
      term *= k / ((trials - k + 1) * odds);
      down.push(term);
      whole += term;
    }
    for (let j = 0; j < up.length && mode + j < most; j++) sizes[mode + j + 1] += (all * up[j]) / whole;
    for (let j = 0; j < down.length; j++) if (mode - j <= most) sizes[mode - j] += (all * down[j]) / whole;
  }
  if (on) withFewExact(sizes, groups, inFile, Math.min(most, FEW_OF_EACH));
  return sizes;
}

/** Puts the people in bins of few entries as they are, without the plain groups, into the sizes of a curve. */
function withFewExact(sizes, { n, b, w, on }, inFile, few) {
  const upTo = new Float64Array(few + 1);
  for (let i = 0; i < n.length; i++) {
    const stale = inFile === null ? on.stale[i] / b[i] : 0;
    for (let g = 1; g <= few; g++) upTo[g] += w[i] * distinctUpTo(n[i], b[i], g, on.chance[i] * (inFile ?? 1), on.people[i], stale);
  }
  for (let g = 1; g <= few; g++) sizes[g] = upTo[g] - upTo[g - 1];
}
