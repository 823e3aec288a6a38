// Places of several counties where a part of each cell is released: policy_sim/formulas/placed.py.
//
// People of a cell who live in different counties are in its bins with different chances x, and what all of them bear is
// parted by these: a person of a county is in a bin with x, and the others have there the generating function without it.
// It is read at points of the line from 0 to 1, for guesses, and of a circle, for small groups. What the released bear
// over what everyone does, both added up over all places, then multiplies the figures of everyone.

const LINE = legendre(20);
const CROWDED = 25; // people in a bin on average: beyond, the points of the line lie closer to its beginning

function remembered(known, name, make) {
  if (!known.has(name)) known.set(name, make(name));
  return known.get(name);
}

/** The generating function of one person at the points of the line, by the chance at its end: the logarithm, and 1 over it. */
function lineOf(chance) {
  return { log: LINE.at.map((at) => Math.log1p(-chance * at)), rest: LINE.at.map((at) => 1 / (1 - chance * at)) };
}

/** The same at points of a circle: the logarithm and 1 over it, each real and imaginary. */
function circleOf(x, away) {
  return away.map(([re, im]) => {
    const [a, b] = [1 - x * re, -x * im];
    const square = a * a + b * b;
    return Float64Array.of(Math.log(square) / 2, Math.atan2(b, a), a / square, -b / square);
  });
}

const SUMS = new Float64Array(4);

/** What the released (first) and everyone (then) of some places bear: guesses, and those in groups of 1, ..., g or fewer. */
class OwnShares {
  constructor(g) {
    this.g = g;
    this.risk = [0, 0];
    this.radius = 10 ** (-3 / g); // inside the unit circle larger groups fade
    const points = 2 * g + 4; // on half of it; the other half has the conjugate values
    this.angles = Array.from({ length: points }, (_, i) => (Math.PI * (i + 0.5)) / points);
    this.away = this.angles.map((angle) => [1 - this.radius * Math.cos(angle), -this.radius * Math.sin(angle)]);
    // at each point, of the released and then of everyone, each real and imaginary
    this.values = this.angles.map(() => new Float64Array(4));
    this.most = openFor(g)[1];
    this.known = { line: new Map(), circle: new Map() };
  }

  /** Forget the chances of a place. */
  forget() {
    Object.values(this.known).forEach((each) => each.clear());
  }

  add({ bins, many }, { every, stale }) {
    this.forget();
    for (let cell = 0; cell < many; cell++) {
      const persons = [];
      let mean = stale ? stale[cell] : 0;
      for (const { n, x, own } of every) if (n[cell]) persons.push({ trials: n[cell], x, share: own.listed[cell] });
      for (const { trials, x } of persons) mean += trials * x;
      this.addCell(bins, persons, stale ? stale[cell] : 0, mean);
    }
  }

  /** The people of a cell, of each kind how many, their chance and the share of them that is released; entries of a bin on average. */
  addCell(bins, persons, stale, mean) {
    this.addGuesses(bins, persons, stale, mean);
    if (mean <= this.most) this.addSizes(bins, persons, stale);
  }

  /** Of each person the integral of x times the others' generating function. */
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
  }

  /** The same at the points of the circle. */
  addSizes(bins, persons, gone) {
    const { away, values, known } = this;
    const of = persons.map(({ x }) => remembered(known.circle, x, () => circleOf(x, away)));
    for (let i = 0; i < away.length; i++) {
      let [log, turn] = [-gone * away[i][0], -gone * away[i][1]];
      SUMS.fill(0);
      for (let k = 0; k < persons.length; k++) {
        const { trials, x, share } = persons[k];
        const at = of[k][i];
        log += trials * at[0];
        turn += trials * at[1];
        for (let j = 0; j < 2; j++) {
          const value = trials * x * at[2 + j];
          SUMS[j] += share * value;
          SUMS[2 + j] += value;
        }
      }
      const size = bins * Math.exp(log);
      const [cos, sin] = [size * Math.cos(turn), size * Math.sin(turn)];
      for (let j = 0; j < 4; j += 2) {
        values[i][j] += SUMS[j] * cos - SUMS[j + 1] * sin;
        values[i][j + 1] += SUMS[j] * sin + SUMS[j + 1] * cos;
      }
    }
  }

  /** The people in groups of 1, 2, ..., g or fewer, of the released (0) or of everyone (2): from points to coefficients. */
  upTo(whose) {
    const { g, radius, angles, values } = this;
    const coefficients = Float64Array.from({ length: g + 1 }, (_, size) => angles.reduce((sum, angle, i) => sum + values[i][whose] * Math.cos(size * angle) + values[i][whose + 1] * Math.sin(size * angle), 0) / (angles.length * radius ** size));
    let sum = 0;
    return coefficients.map((_, size) => (size ? Math.max((sum += coefficients[size - 1]), 0) : 0));
  }

  /** Leave of the figures of everyone what the released bear. */
  apply(sum) {
    const { g, risk: [own, all] } = this;
    const [ownUpTo, allUpTo] = [0, 2].map((whose) => this.upTo(whose));
    sum.risk *= all > 0 ? own / all : 0;
    sum.alone *= allUpTo[1] > 0 ? ownUpTo[1] / allUpTo[1] : 0;
    sum.distinct *= allUpTo[g] > 0 ? ownUpTo[g] / allUpTo[g] : 0;
  }

  /** The same of people in bins of each size. */
  ofSizes(sizes) {
    const [own, all] = [0, 2].map((whose) => this.upTo(whose));
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
