// Places of several counties where a part of each cell is released: policy_sim/formulas/released_groups.py.
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

/** What the released and what everyone of some places bear: guesses, and those in groups of 1, 2, ..., g or fewer. */
class OwnShares {
  constructor(g) {
    this.g = g;
    this.risk = [0, 0];
    this.upTo = [0, 1].map(() => new Float64Array(g + 1));
    const radius = 10 ** (-3 / g); // inside the unit circle larger groups fade
    const points = 2 * g + 4; // on half of it; the other half has the conjugate values
    this.circle = Array.from({ length: points }, (_, i) => {
      const angle = (Math.PI * (i + 0.5)) / points;
      // of a function at this point, the part of its coefficient of each size: 1 / (points z^size)
      const back = Array.from({ length: g + 1 }, (__, size) => [1, -1].map((sign, at) => (sign * (at ? Math.sin(size * angle) : Math.cos(size * angle))) / (points * radius ** size)));
      return { away: [1 - radius * Math.cos(angle), -radius * Math.sin(angle)], back };
    });
    this.most = openFor(g)[1];
  }

  add({ bins, many }, { every, stale, counted }) {
    for (let cell = 0; cell < many; cell++) {
      const persons = every.map(({ n, x, rare, own }) => ({ trials: n[cell], x, rare, share: own.listed[cell] })).filter(({ trials }) => trials);
      for (const part of counted.get(cell) ?? []) persons.push({ ...matchedTrials(part), rare: 0, share: part.own.listed });
      const gone = stale ? stale[cell] : 0;
      const mean = persons.reduce((sum, { trials, x }) => sum + trials * x, gone);
      this.addGuesses(bins, persons, gone, mean);
      if (mean <= this.most) this.addSizes(bins, persons, gone);
    }
  }

  /** Of each person the integral of x times the others' generating function; two of one county meet more rarely. */
  addGuesses(bins, persons, gone, mean) {
    const high = Math.min(1, 2 ** -Math.floor(Math.log2(Math.max(mean, CROWDED) / CROWDED)));
    LINE.at.forEach((at, i) => {
      const u = high * at;
      let [log, own, all] = [-gone * u, 0, 0];
      for (const { trials, x, share } of persons) {
        log += trials * Math.log1p(-x * u);
        const met = (trials * x) / (1 - x * u);
        own += share * met;
        all += met;
      }
      const weight = bins * high * LINE.weight[i] * Math.exp(log);
      this.risk[0] += weight * own;
      this.risk[1] += weight * all;
    });
    const empty = bins * Math.exp(persons.reduce((log, { trials, x }) => log + trials * Math.log(Math.max(1 - x, 1e-300)), -gone));
    for (const { trials, x, rare, share } of persons) {
      const lost = x < 1 ? (empty * rare * trials * (trials - 1)) / (1 - x) ** 2 : 0;
      this.risk[0] += share * lost;
      this.risk[1] += lost;
    }
  }

  addSizes(bins, persons, gone) {
    const { g, upTo } = this;
    for (const { away: [re, im], back } of this.circle) {
      let [log, turn] = [-gone * re, -gone * im];
      const sums = [0, 0, 0, 0, 0, 0, 0, 0]; // of the released and of everyone: single people, then pairs, as complex numbers
      for (const { trials, x, rare, share } of persons) {
        const [a, b] = [1 - x * re, -x * im]; // the generating function of one person
        const square = a * a + b * b;
        log += (trials * Math.log(square)) / 2;
        turn += trials * Math.atan2(b, a);
        const [c, d] = [a / square, -b / square];
        const [single, pairs] = [trials * x, rare * trials * (trials - 1)];
        const values = [single * c, single * d, pairs * (c * c - d * d), pairs * 2 * c * d];
        values.forEach((value, i) => {
          sums[i] += share * value;
          sums[4 + i] += value;
        });
      }
      const size = bins * Math.exp(log);
      const [cos, sin] = [size * Math.cos(turn), size * Math.sin(turn)];
      for (let of = 0; of < 2; of++) {
        const [a, b, c, d] = sums.slice(4 * of, 4 * of + 4);
        const [single, pairs] = [[a * cos - b * sin, a * sin + b * cos], [c * cos - d * sin, c * sin + d * cos]];
        const part = (value, [x, y]) => value[0] * x - value[1] * y;
        for (let s = 1, sum = 0; s <= g; s++) {
          sum += part(single, back[s - 1]);
          upTo[of][s] += sum + (s + 1) * part(pairs, back[s - 1]) - s * part(pairs, back[s]);
        }
      }
    }
  }

  /** Leave of the figures of everyone what the released bear. */
  apply(sum) {
    const { g, risk, upTo: [own, all] } = this;
    sum.risk *= risk[1] > 0 ? risk[0] / risk[1] : 0;
    sum.alone *= all[1] > 0 ? Math.max(own[1], 0) / all[1] : 0;
    sum.distinct *= all[g] > 0 ? Math.max(own[g], 0) / all[g] : 0;
  }

  /** The same of people in bins of each size. */
  ofSizes(sizes) {
    const [own, all] = this.upTo;
    let [sum, before] = [0, 0];
    return sizes.map((people, size) => {
      sum += people;
      const now = size && all[size] > 0 ? (sum * Math.max(own[size], 0)) / all[size] : 0;
      const left = now - before;
      before = now;
      return left;
    });
  }
}
