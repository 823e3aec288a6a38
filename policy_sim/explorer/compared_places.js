// Places of several counties where a part of each cell is released: policy_sim/formulas/placed.py.
//
// People of a cell who live in different counties are in its bins with different chances x, and what all of them bear is
// parted by these: a person of a county is in a bin with x, and the others have there the generating function without it.
// It is read at points of the line from 0 to 1, for guesses, and of a circle, for small groups. What the released bear
// over what everyone does, both added up over all places, then multiplies the figures of everyone.

const LINE = legendre(20);
const CROWDED = 25; // people in a bin on average: beyond, the points of the line lie closer to its beginning

/** A binomial as even as the people of a large cell who are in a bin, with their mean: counted_parts.py, matched_trials. */
function matchedTrials({ people, residents, p, hit }) {
  const spread = ((1 - p) * (residents - people)) / Math.max(residents - 1, 1);
  const trials = Math.max(Math.ceil((people * p) / Math.max(1 - spread, p) - A_PERSON), 1);
  return { trials, x: (people * p * hit) / trials };
}

function remembered(known, name, make) {
  if (!known.has(name)) known.set(name, make(name));
  return known.get(name);
}

/** The generating function of one person at the points of the line, by the chance at its end: the logarithm, and 1 over it. */
function lineOf(chance) {
  return { log: LINE.at.map((at) => Math.log1p(-chance * at)), rest: LINE.at.map((at) => 1 / (1 - chance * at)) };
}

/** The same at points of a circle: the logarithm, 1 over it and the square of that, each real and imaginary. */
function circleOf(x, away) {
  return away.map(([re, im]) => {
    const [a, b] = [1 - x * re, -x * im];
    const square = a * a + b * b;
    const [c, d] = [a / square, -b / square];
    return Float64Array.of(Math.log(square) / 2, Math.atan2(b, a), c, d, c * c - d * d, 2 * c * d);
  });
}

const SUMS = new Float64Array(8);

/** What the released (first) and everyone (then) of some places bear: guesses, and those in groups of 1, ..., g or fewer. */
class OwnShares {
  constructor(g) {
    this.g = g;
    this.risk = [0, 0];
    this.radius = 10 ** (-3 / g); // inside the unit circle larger groups fade
    const points = 2 * g + 4; // on half of it; the other half has the conjugate values
    this.angles = Array.from({ length: points }, (_, i) => (Math.PI * (i + 0.5)) / points);
    this.away = this.angles.map((angle) => [1 - this.radius * Math.cos(angle), -this.radius * Math.sin(angle)]);
    // at each point, of the released and then of everyone: single people and pairs, each real and imaginary
    this.values = this.angles.map(() => new Float64Array(8));
    this.most = openFor(g)[1];
    this.known = { line: new Map(), circle: new Map() };
  }

  add({ bins, many }, { every, stale, counted }) {
    Object.values(this.known).forEach((each) => each.clear());
    for (let cell = 0; cell < many; cell++) {
      const persons = [];
      let mean = stale ? stale[cell] : 0;
      for (const { n, x, rare, own } of every) if (n[cell]) persons.push({ trials: n[cell], x, rare, share: own.listed[cell] });
      for (const part of counted.get(cell) ?? []) persons.push({ ...matchedTrials(part), rare: 0, share: part.own.listed });
      for (const { trials, x } of persons) mean += trials * x;
      this.addGuesses(bins, persons, stale ? stale[cell] : 0, mean);
      if (mean <= this.most) this.addSizes(bins, persons, stale ? stale[cell] : 0);
    }
  }

  /** Of each person the integral of x times the others' generating function; two of one county meet more rarely. */
  addGuesses(bins, persons, gone, mean) {
    const high = Math.min(1, 2 ** -Math.floor(Math.log2(Math.max(mean, CROWDED) / CROWDED)));
    const of = persons.map(({ x }) => remembered(this.known.line, x * high, lineOf));
    for (let i = 0; i < LINE.at.length; i++) {
      let [log, own, all] = [-gone * high * LINE.at[i], 0, 0];
      for (let k = 0; k < persons.length; k++) {
        const { trials, x, share } = persons[k];
        log += trials * of[k].log[i];
        const met = trials * x * of[k].rest[i];
        own += share * met;
        all += met;
      }
      const weight = bins * high * LINE.weight[i] * Math.exp(log);
      this.risk[0] += weight * own;
      this.risk[1] += weight * all;
    }
    const empty = bins * Math.exp(persons.reduce((log, { trials, x }) => log + trials * Math.log(Math.max(1 - x, 1e-300)), -gone));
    for (const { trials, x, rare, share } of persons) {
      const lost = x < 1 ? (empty * rare * trials * (trials - 1)) / (1 - x) ** 2 : 0;
      this.risk[0] += share * lost;
      this.risk[1] += lost;
    }
  }

  /** The same at the points of the circle, of single people and of pairs. */
  addSizes(bins, persons, gone) {
    const { away, values, known } = this;
    const of = persons.map(({ x }) => remembered(known.circle, x, () => circleOf(x, away)));
    for (let i = 0; i < away.length; i++) {
      let [log, turn] = [-gone * away[i][0], -gone * away[i][1]];
      SUMS.fill(0);
      for (let k = 0; k < persons.length; k++) {
        const { trials, x, rare, share } = persons[k];
        const at = of[k][i];
        log += trials * at[0];
        turn += trials * at[1];
        for (let j = 0; j < 4; j++) {
          const value = trials * (j < 2 ? x : rare * (trials - 1)) * at[2 + j];
          SUMS[j] += share * value;
          SUMS[4 + j] += value;
        }
      }
      const size = bins * Math.exp(log);
      const [cos, sin] = [size * Math.cos(turn), size * Math.sin(turn)];
      for (let j = 0; j < 8; j += 2) {
        values[i][j] += SUMS[j] * cos - SUMS[j + 1] * sin;
        values[i][j + 1] += SUMS[j] * sin + SUMS[j + 1] * cos;
      }
    }
  }

  /** The people in groups of 1, 2, ..., g or fewer, of the released (0) or of everyone (4): from points to coefficients. */
  upTo(whose) {
    const { g, radius, angles, values } = this;
    const coefficients = [0, 2].map((j) => Float64Array.from({ length: g + 1 }, (_, size) => angles.reduce((sum, angle, i) => sum + values[i][whose + j] * Math.cos(size * angle) + values[i][whose + j + 1] * Math.sin(size * angle), 0) / (angles.length * radius ** size)));
    const [single, pairs] = coefficients;
    let sum = 0;
    return single.map((_, size) => (size ? Math.max((sum += single[size - 1]) + (size + 1) * pairs[size - 1] - size * pairs[size], 0) : 0));
  }

  /** Leave of the figures of everyone what the released bear. */
  apply(sum) {
    const { g, risk: [own, all] } = this;
    const [ownUpTo, allUpTo] = [0, 4].map((whose) => this.upTo(whose));
    sum.risk *= all > 0 ? own / all : 0;
    sum.alone *= allUpTo[1] > 0 ? ownUpTo[1] / allUpTo[1] : 0;
    sum.distinct *= allUpTo[g] > 0 ? ownUpTo[g] / allUpTo[g] : 0;
  }

  /** The same of people in bins of each size. */
  ofSizes(sizes) {
    const [own, all] = [0, 4].map((whose) => this.upTo(whose));
    let [sum, before] = [0, 0];
    return sizes.map((people, size) => {
      sum += people;
      const now = size && all[size] > 0 ? (sum * own[size]) / all[size] : 0;
      const left = now - before;
      before = now;
      return left;
    });
  }
}
