// Places put together of parts of several counties: policy_sim/binning/parts.py and binomial_sums.py.
//
// A bin of a place holds a sum of binomials, one for each county. Counties that lie in the place with all their people
// are one binomial. What a piece adds to a cell is a number of the piece times its people, and another times the pairs
// of them: one pass over the cells of a place for each piece.

const SAFE_ODDS = 10;
const NEARLY_CERTAIN = 0.9; // above this chance the failures of a trial are counted, not its successes
const SLIVER = 40; // people: of a smaller piece or county, what is cut off at 0 is not out of the question
const SMALL_COUNTY = 10000;
const NO_LOG = -60; // exp of less counts for nothing

/** What the formulas need of a piece, whatever its people. */
function factorsOf(p, residents, bins, c) {
  const x = Math.min((p * c) / bins, 1);
  const hit = 1 - x;
  const fixed = p < 1 ? (p * (1 - p)) / residents : 0;
  const rare = ((c / bins) ** 2 / 2) * fixed;
  return {
    x, rare, sliver: p * residents < SLIVER || residents < SMALL_COUNTY, most: p < 1 ? SMALL_CELL * residents : -1, odds: x / hit, log: Math.log1p(-x), lost: rare / hit ** 2,
    slope: p / hit, slopePairs: (fixed * c) / bins / hit ** 3, bend: (p / hit) ** 2, bendPairs: (fixed * (1 + 2 * x)) / hit ** 4,
  };
}

/** The pieces of a place with their factors: those of small odds, those of large ones, and those that are certain. */
function piecesAt({ bins, full, pieces }, c) {
  const all = pieces.map(({ p, residents, n }) => ({ n, ...factorsOf(p, residents, bins, c) }));
  if (full) all.push({ n: full, ...factorsOf(1, Infinity, bins, c) });
  return { all: all.filter(({ x }) => x < 1), certain: all.find(({ x }) => x === 1)?.n ?? null };
}

/** Room for the sums of every cell of a place, used again and again. */
class Room {
  constructor() {
    this.of = {};
  }
  take(name, many) {
    if (!(this.of[name]?.length >= many)) this.of[name] = new Float64Array(2 * many);
    return this.of[name].fill(0, 0, many);
  }
}
const ROOM = new Room();

/** Add a factor times the people, and another times the pairs of them, to every cell. */
function addTo(sums, { n, most }, ofPeople, ofPairs, many) {
  if (most < 2) {
    for (let i = 0; i < many; i++) sums[i] += ofPeople * n[i];
    return;
  }
  for (let i = 0; i < many; i++) {
    const people = n[i];
    sums[i] += ofPeople * people + (people <= most ? ofPairs * people * (people - 1) : 0);
  }
}

/** As addTo, of the logarithm of an empty bin and the odds of one person at once: the longest way through the cells. */
function addOdds(log, first, { n, most, log: miss, lost, odds }, many) {
  const twice = lost * 2 * (odds + 1);
  if (most < 2) {
    for (let i = 0; i < many; i++) {
      log[i] += miss * n[i];
      first[i] += odds * n[i];
    }
    return;
  }
  for (let i = 0; i < many; i++) {
    const people = n[i];
    const pairs = people <= most ? people * (people - 1) : 0;
    log[i] += miss * people - lost * pairs;
    first[i] += odds * people + twice * pairs;
  }
}

/** What places reveal; with g = 1 the groups of g or fewer are those alone. */
function measuredPlaces(groups, listed, inFile, g) {
  const held = inFile ?? 1;
  const sum = { risk: 0, alone: 0, distinct: 0, wrong: 0 };
  const ahead = isAhead(groups, listed, inFile) && g < groups.ahead.upTo.length ? groups.ahead.upTo[g] : null;
  for (const place of groups.mixed) addPlace(sum, place, listed * held, ahead === null ? g : 1, listed < 1);
  const whole = measured(groups.whole, listed, inFile, g);
  const alone = sum.alone + whole.alone;
  const wrong = listed < 1 ? sum.wrong * held * (1 - listed) + whole.claims - whole.alone : 0;
  return { risk: sum.risk + whole.risk, alone, distinct: g > 1 ? ahead ?? sum.distinct + whole.distinct : alone, claims: alone + wrong, correct: alone };
}

function addPlace(sum, place, c, g, wantWrong) {
  const { bins, many } = place;
  const { all, certain } = piecesAt(place, c);
  const [log, first] = [ROOM.take("log", many), ROOM.take("first", many)];
  for (const piece of all) if (piece.odds <= 1) addOdds(log, first, piece, many);
  const large = all.filter(({ odds }) => odds > 1);
  const rest = large.length ? ROOM.take("large", many) : null;
  for (const piece of large) addTo(rest, piece, piece.log, -piece.lost, many);
  let [risk, alone] = [0, 0];
  for (let i = 0; i < many; i++) {
    const empty = rest ? log[i] + rest[i] : log[i];
    risk += (certain !== null && certain[i]) || empty < NO_LOG ? 1 : -Math.expm1(empty);
    if (empty < NO_LOG || (certain !== null && certain[i] > 1)) continue;
    const none = Math.exp(log[i]);
    const one = Math.max(none * first[i], 0);
    alone += rest ? aloneBeside(large, i, none, one, certain !== null && certain[i] === 1) : certain !== null && certain[i] ? none : one;
  }
  sum.risk += bins * risk;
  sum.alone += bins * alone;
  if (wantWrong) sum.wrong += (c / bins) * wrongIn(all, log, rest, certain, many);
  if (g > 1) sum.distinct += bins * distinctIn({ all, certain, many }, g);
}

/** The chance of one person, or of nobody, in a bin after the pieces of large odds; before them: of nobody, of one. */
function aloneBeside(large, cell, none, one, taken) {
  for (const { n, x, odds, log, rare, most } of large) {
    const people = n[cell];
    if (!people) continue;
    let nobody = Math.exp(people * log);
    let somebody = people * odds * nobody;
    if (people <= most && people > 1) {
      const before = nobody / (1 - x) ** 2;
      const less = rare * people * (people - 1);
      nobody = Math.max(nobody - less * before, 0);
      somebody = Math.max(somebody - less * before * ((people - 2) * odds - 2), 0);
    }
    one = none * somebody + one * nobody;
    none *= nobody;
  }
  return taken ? none : one;
}

/** The second derivative of the generating function of a bin where it counts for wrong claims, added up. */
function wrongIn(all, log, largeLog, certain, many) {
  const [slope, bend] = [ROOM.take("slope", many), ROOM.take("bend", many)];
  for (const piece of all) {
    addTo(slope, piece, piece.slope, piece.slopePairs, many);
    addTo(bend, piece, piece.bend, piece.bendPairs, many);
  }
  let wrong = 0;
  for (let i = 0; i < many; i++) {
    const empty = log[i] + (largeLog ? largeLog[i] : 0);
    if (empty > NO_LOG && !certain?.[i]) wrong += Math.exp(empty) * Math.max(slope[i] * slope[i] - bend[i], 0);
  }
  return wrong;
}

/** The expected people in bins of at most g, divided by the bins, over the cells of a place. */
function distinctIn({ all, certain, many }, g) {
  const sums = new SumsOfPieces(all, g);
  const [mean, total] = [ROOM.take("mean", many), ROOM.take("total", many)];
  for (const { n, x } of all) {
    for (let i = 0; i < many; i++) {
      mean[i] += x * n[i];
      total[i] += n[i];
    }
  }
  const [least, most] = openFor(g);
  const slivers = all.filter((piece) => piece.sliver);
  let distinct = 0;
  for (let i = 0; i < many; i++) {
    const shift = certain ? certain[i] : 0;
    if (shift > g) continue;
    const surely = shift + total[i] <= g || mean[i] + shift < least;
    if (surely && !slivers.some(({ n }) => n[i] > 1)) distinct += mean[i] + shift;
    else if (mean[i] <= most) distinct += sums.people(i, g - shift, shift);
  }
  return distinct;
}

/** The chances of how many people of a cell are in a bin: of the pieces of small odds together, then the others. */
class SumsOfPieces {
  constructor(all, g) {
    const limit = Math.min(1, SAFE_ODDS / g);
    const alone = all.filter(({ odds, rare }) => odds > limit || rare === 0);
    this.small = all.filter((piece) => !alone.includes(piece));
    this.others = alone;
    this.g = g;
    const greatest = Math.max(...this.small.map(({ odds }) => odds), 1e-9);
    this.terms = Math.min(g, Math.ceil(Math.log(1e-18) / Math.log(greatest)) + 3);
    for (const piece of this.small) this.series(piece);
    [this.now, this.next, this.piece] = [new Float64Array(g + 1), new Float64Array(g + 1), new Float64Array(g + 1)];
    this.t = new Float64Array(g + 1);
  }

  /** The coefficients of the logarithm of the generating function: times the people, and times the pairs. */
  series(piece) {
    const { odds, log, lost } = piece;
    piece.ofPeople = new Float64Array(this.terms + 1);
    piece.ofPairs = new Float64Array(this.terms + 1);
    let [before, earlier, power] = [0, 0, 1];
    for (let size = 0; size <= this.terms; size++) {
      const sign = size % 2 ? -1 : 1;
      const now = (size + 1) * power * sign;
      piece.ofPeople[size] = size ? (-sign * power) / size : log;
      piece.ofPairs[size] = -lost * (now - 2 * before + earlier);
      [earlier, before] = [before, now];
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
    for (const { n, most, ofPeople, ofPairs } of small) {
      const people = n[cell];
      if (!people) continue;
      some = true;
      const pairs = people <= most ? people * (people - 1) : 0;
      for (let size = 0; size <= terms; size++) t[size] += ofPeople[size] * people + ofPairs[size] * pairs;
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
  binomial({ n, x, rare, most }, cell, g) {
    const own = this.piece;
    const people = n[cell];
    const end = Math.min(g, people);
    binomialChances(own, people, x, end);
    if (!rare || people > most || people < 2) return end;
    const others = binomialChances(OTHERS, people - 2, x, end);
    const less = rare * people * (people - 1);
    let [before, earlier] = [0, 0];
    for (let size = 0; size <= end; size++) {
      own[size] = Math.max(own[size] - less * (others[size] - 2 * before + earlier), 0);
      [earlier, before] = [before, others[size]];
    }
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
const OTHERS = new Float64Array(1024);

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
  table[0] = Math.exp(people * Math.log1p(-x));
  for (let size = 1; size <= g; size++) table[size] = size > people ? 0 : table[size - 1] * ((people - size + 1) / size) * odds;
  return table;
}

/** Whether the people in bins of every small size are known already. */
function isAhead({ ahead }, listed, inFile) {
  return ahead !== undefined && ahead.listed === listed && ahead.inFile === inFile;
}

/** Find the people in bins of at most 1, 2, ..., most before they are asked for: then another group size costs nothing. */
function lookAhead(groups, listed, inFile, most) {
  if (groups.kind !== "placed" || isAhead(groups, listed, inFile)) return;
  let sum = 0;
  groups.ahead = { listed, inFile, upTo: sizesByZip(groups, listed, inFile, most).map((people) => (sum += people)) };
}

/** The expected people in bins of 1, 2, ..., most people: as sizesOf, of groups by ZIP code. */
function sizesByZip(groups, listed, inFile, most) {
  if (groups.kind === "parts") {
    const upTo = distinctInParts(groups, listed, inFile, most);
    return upTo.map((people, g) => (g ? people - upTo[g - 1] : 0));
  }
  const sizes = sizesOf(groups.whole, listed, inFile, most);
  for (const place of groups.mixed) {
    const pieces = piecesAt(place, listed * (inFile ?? 1));
    const sums = new SumsOfPieces(pieces.all, most);
    const [, highest] = openFor(most);
    for (let cell = 0; cell < place.many; cell++) {
      const shift = pieces.certain ? pieces.certain[cell] : 0;
      let [mean, total] = [0, 0];
      for (const { x, n } of pieces.all) {
        mean += x * n[cell];
        total += n[cell];
      }
      if (shift > most || mean > highest) continue;
      const end = Math.min(most - shift, total, largestFor(mean));
      const chances = sums.chances(cell, end);
      for (let size = 0; size <= end; size++) sizes[size + shift] += place.bins * (size + shift) * chances[size];
    }
  }
  return sizes;
}
