// How often a sum of binomials is 0, 1, ..., g: policy_sim/formulas/binomial.py.

const SAFE_ODDS = 10;
const NEARLY_CERTAIN = 0.9; // above this chance the failures of a trial are counted, not its successes

/** The chances of how many people of a cell are in a bin: of the pieces of small odds together, then the others. */
class SumsOfPieces {
  constructor(all, g) {
    const limit = Math.min(1, SAFE_ODDS / g);
    this.small = all.filter(({ odds }) => odds <= limit);
    this.others = all.filter(({ odds }) => !(odds <= limit));
    this.g = g;
    const greatest = Math.max(...this.small.map(({ odds }) => odds), 1e-9);
    this.terms = greatest < 1 ? Math.min(g, Math.ceil(Math.log(1e-18) / Math.log(greatest)) + 3) : g;
    for (const piece of this.small) this.series(piece);
    [this.now, this.next, this.piece] = [new Float64Array(g + 1), new Float64Array(g + 1), new Float64Array(g + 1)];
    this.t = new Float64Array(g + 1);
  }

  /** The coefficients of the logarithm of the generating function, of one person. */
  series(piece) {
    const { odds, log } = piece;
    piece.series = new Float64Array(this.terms + 1);
    let power = 1;
    for (let size = 0; size <= this.terms; size++) {
      piece.series[size] = size ? ((size % 2 ? 1 : -1) * power) / size : log;
      power *= odds;
    }
  }

  /** The people of a cell in bins of at most g, where shift more are in every bin. */
  people(cell, g, shift) {
    const { others } = this;
    let last = others.length - 1;
    while (last >= 0 && !others[last].n[cell]) last--;
    const chances = this.joined(cell, g, last);
    let people = 0;
    if (last < 0) {
      for (let size = 0; size <= this.top; size++) people += (size + shift) * chances[size];
      return people;
    }
    // of the last piece only the sums of its chances up to each size are needed
    const end = this.binomial(others[last], cell, g);
    const own = this.piece;
    let [upTo, weighted] = [0, 0];
    for (let size = 0; size <= g; size++) {
      if (size <= end) {
        upTo += own[size];
        weighted += size * own[size];
      }
      if (g - size <= this.top) people += chances[g - size] * ((g - size + shift) * upTo + weighted);
    }
    return people;
  }

  /** The chances of 0, 1, ..., g. */
  chances(cell, g) {
    const chances = this.joined(cell, g, this.others.length);
    chances.fill(0, this.top + 1, g + 1);
    return chances;
  }

  /** The chances of the pieces of small odds and of those before the last; they end at this.top. */
  joined(cell, g, last) {
    const { others } = this;
    let some = this.ofSmall(cell, g);
    if (!some) {
      this.now[0] = 1;
      this.top = 0;
    }
    for (let i = 0; i < last; i++) {
      if (!others[i].n[cell]) continue;
      const end = this.binomial(others[i], cell, g);
      if (some) this.convolve(end, g);
      else {
        [this.now, this.piece] = [this.piece, this.now];
        this.top = end;
        some = true;
      }
    }
    return this.now;
  }

  ofSmall(cell, g) {
    const { t, small, now: chances } = this;
    if (!small.length) return false;
    const terms = Math.min(this.terms, g);
    let some = false;
    t.fill(0);
    for (const { n, series } of small) {
      const people = n[cell];
      if (!people) continue;
      some = true;
      for (let size = 0; size <= terms; size++) t[size] += series[size] * people;
    }
    if (!some) return false;
    for (let size = 1; size <= terms; size++) t[size] *= size;
    chances[0] = Math.exp(t[0]);
    for (let size = 1; size <= g; size++) {
      let total = 0;
      for (let step = Math.min(size, terms); step > 0; step--) total += t[step] * chances[size - step];
      chances[size] = Math.max(total / size, 0);
    }
    this.top = g;
    return true;
  }

  /** Put the chances of a piece into this.piece, and return where they end. */
  binomial({ n, x }, cell, g) {
    const end = Math.min(g, n[cell]);
    binomialChances(this.piece, n[cell], x, end);
    return end;
  }

  /** Join the chances with those of the piece, which end at end. */
  convolve(end, g) {
    const { now, piece, next, top } = this;
    const highest = Math.min(g, top + end);
    for (let size = 0; size <= highest; size++) {
      let sum = 0;
      for (let by = Math.max(0, size - top), last = Math.min(size, end); by <= last; by++) sum += now[size - by] * piece[by];
      next[size] = sum;
    }
    this.top = highest;
    [this.now, this.next] = [next, now];
  }
}

function binomialChances(table, people, x, g) {
  if (x > NEARLY_CERTAIN) {
    // counted down from all successes: no success is a number too small to be held
    table.fill(0, 0, g + 1);
    let value = x ** people;
    for (let size = people; size >= 0; size--) {
      if (size <= g) table[size] = value;
      value *= (size / (people - size + 1)) * ((1 - x) / x);
    }
    return table;
  }
  const odds = x / (1 - x);
  table[0] = onePlace(people, Math.log1p(-x));
  for (let size = 1; size <= g; size++) table[size] = size > people ? 0 : table[size - 1] * ((people - size + 1) / size) * odds;
  return table;
}
