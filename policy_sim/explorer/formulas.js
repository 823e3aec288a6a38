// The formulas of one group of n people and b bins, summed over many: policy_sim/formulas.

/** log(1 - x/b): the chance that a person is not in a given bin. */
function logMiss(b, x) {
  return x / b > 0.5 ? Math.log((b - x) / b) : Math.log1p(-x / b);
}

/** Expected people of a group who share a bin with fewer than g others. */
function distinctUpTo(n, b, g, x) {
  const listed = n * x;
  if (b === x) return n <= g ? listed : 0;
  if (n <= g) return listed;
  const odds = x / (b - x);
  let term = Math.exp((n - 1) * logMiss(b, x));
  let sum = term;
  for (let k = 1; k < g; k++) {
    term *= ((n - k) / k) * odds;
    sum += term;
  }
  return Math.min(listed * sum, listed);
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
  if (groups.kind === "parts") return yield* measuringParts(groups, listed, inFile, g);
  if (groups.kind === "placed") return yield* measuringPlaces(groups, listed, inFile, g);
  return measured(groups, listed, inFile, g);
}

/**
 * What a release of these groups reveals, in expected people (docs/model.md).
 *
 * groups: { n, b, w }: people, bins and how many groups are alike. listed: chance to be on the list. inFile: chance to
 * be in the file, where the attacker knows who is in it; null where everyone is released.
 * g: the group size. Returns risk (correct links), alone, distinct (up to g), claims, correct.
 */
function measured(groups, listed, inFile, g) {
  if (groups.kind) return atOnce(measuring(groups, listed, inFile, g));
  const { n, b, w } = groups;
  const held = inFile ?? 1;
  const chance = listed * held; // to be somebody a record can be linked to
  const unlisted = held * (1 - listed);
  let risk = 0;
  let alone = 0;
  let distinct = 0;
  let wrong = 0;
  let bins = -1;
  let miss = 0;
  for (let i = 0; i < n.length; i++) {
    const people = n[i];
    if (b[i] !== bins) {
      bins = b[i];
      miss = logMiss(bins, chance);
    }
    risk += w[i] * Math.min(-bins * Math.expm1(people * miss), people * chance);
    const one = people > 1 ? Math.exp((people - 1) * miss) : 1;
    alone += w[i] * people * chance * one;
    if (g > 1) distinct += w[i] * distinctUpTo(people, bins, g, chance);
    if (unlisted > 0 && people > 1) {
      const others = people > 2 ? Math.exp((people - 2) * miss) : 1;
      wrong += w[i] * people * unlisted * (people - 1) * (chance / bins) * others;
    }
  }
  return { risk, alone, distinct: g > 1 ? distinct : alone, claims: alone + wrong, correct: alone };
}

/** For each group size the expected people in bins of that size: the steps of the curve. */
function sizesOf(groups, listed, inFile, most) {
  const { n, b, w } = groups;
  const chance = listed * (inFile ?? 1);
  const sizes = new Float64Array(most + 1);
  for (let i = 0; i < n.length; i++) {
    const people = n[i];
    const all = w[i] * people * chance;
    if (b[i] === chance) {
      if (people <= most) sizes[people] += all;
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
  return sizes;
}
