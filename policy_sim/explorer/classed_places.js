// Places whose people live there with a chance that depends on their class: policy_sim/formulas/several_classes.py.
//
// A bin of a place holds a sum of binomials, one for each class and county. Sums of n log(1 - x), n x and n o^j, with
// o = x / (1 - x), over the classes of a cell say everything about it; classes of large odds are joined one by one. Where
// a cell hides many bins, x is so small that three powers of it say the same. Where the bins of every part of a county
// have few entries, the parts are not needed: all figures are linear in the factorial moments of a bin, which are products
// of a number of the cell and a sum over the parts (policy_sim/formulas/single_class.py).

const MANY_HIDDEN = 100; // bins: 1 / 100^3 of the largest sum is the first that is left out
const NEVER_EMPTY = 45; // entries on average: exp(-45) of the bins are empty
const SMALL_CHANCE = 0.03; // up to here six terms of log(1 - x) are right to 1e-10 of it
const LEAST_TERM = 1e-10; // of a sum of powers: what adds less is left out

/** The groups of some counties, whose people live in each place with the chance of their class: of each county, or of all. */
function classedGroups(people, counties, plan, key, composition, listing) {
  const apart = isInCounty(key);
  const held = counties.map((county) => cellsOfClasses(people, county, plan, listing, apart));
  if (apart) {
    return { kind: "classed", plan, blocks: held.map((each) => {
      const chances = composition.pieces(each.county, key).map(([, q]) => q);
      return { county: each.county, places: chances.map((q) => [{ held: each, q }]), powers: plan.released ? null : new PowerSums(chances) };
    }) };
  }
  const places = new Map();
  for (const each of held) {
    for (const [place, q] of composition.pieces(each.county, key)) {
      if (!places.has(place)) places.set(place, []);
      places.get(place).push({ held: each, q });
    }
  }
  return { kind: "classed", plan, blocks: [...places.values()].map((place) => ({ places: [place], powers: null })) };
}

/**
 * The people of a county by cell and class, those who are there: of each class how many (n), and who of them is listed
 * (chance); "first" says where those of a cell begin. Apart: cells of the same people are one, w times.
 */
function cellsOfClasses(people, county, plan, listing, apart) {
  const { classed: { first, kind, bins, code, ofChance }, released } = plan;
  const sums = new Sums(plan, people, listing).add(county);
  const { people: counts, entries: [on] } = sums;
  const seen = apart && !released ? new Map() : null;
  const pairs = new Int32Array(plan.size);
  const ends = new Int32Array(bins.length + 1);
  const [times, ofCell] = [new Float64Array(bins.length), new Float64Array(bins.length)];
  let [cells, end] = [0, 0];
  for (let cell = 0; cell < bins.length; cell++) {
    const from = end;
    let name = bins[cell];
    for (let i = first[cell]; i < first[cell + 1]; i++) {
      const n = counts[i];
      if (!n) continue;
      pairs[end++] = i;
      if (seen !== null) name += n * code[kind[i]] + (on ? (on[i] / n) * ofChance[kind[i]] : 0); // two that are not alike have one name once in a thousand million
    }
    if (apart && from === end) continue;
    const same = seen?.get(name);
    if (same !== undefined) {
      times[same]++;
      end = from;
      continue;
    }
    seen?.set(name, cells);
    times[cells] = 1;
    ofCell[cells] = bins[cell];
    ends[++cells] = end;
  }
  const of = (use, into = new Float64Array(end)) => {
    for (let i = 0; i < end; i++) into[i] = use(pairs[i]);
    return into;
  };
  return {
    county,
    w: times.slice(0, cells),
    bins: ofCell.slice(0, cells),
    first: ends.slice(0, cells + 1),
    kind: of((i) => kind[i], new Uint8Array(end)),
    n: of((i) => counts[i]),
    chance: on ? of((i) => on[i] / counts[i]) : null,
    gone: listing ? listing.stale(county) : 0,
    own: released && { listed: of((i) => sums.sharesOf(i)[0]), left: of((i) => sums.sharesOf(i)[1]) },
  };
}

/** What these places reveal, block by block; with g = 1 the groups of g or fewer are those alone. */
function* measuringClassed(groups, listed, inFile, g) {
  const sum = { risk: 0, wrong: 0 };
  const sizes = new Float64Array(g + 1);
  const own = groups.plan.released ? new OwnShares(g) : null;
  for (const block of groups.blocks) {
    addClasses(sum, sizes, block, listed, inFile, own);
    yield;
  }
  const all = { risk: sum.risk, alone: sizes[1], distinct: sizes.reduce((people, each) => people + each, 0) };
  own?.apply(all);
  return { ...all, claims: all.alone + sum.wrong, correct: all.alone };
}

/** The expected people in bins of 1, 2, ..., most people. */
function sizesByClass(groups, listed, inFile, most) {
  const sizes = new Float64Array(most + 1);
  const own = groups.plan.released ? new OwnShares(most) : null;
  for (const block of groups.blocks) addClasses({ risk: 0, wrong: 0 }, sizes, block, listed, inFile, own);
  return own ? own.ofSizes(sizes) : sizes;
}

/** Add what the places of a block reveal, and their people by the entries of their bin. */
function addClasses(sum, sizes, { places, powers }, listed, inFile, own) {
  const held = inFile ?? 1;
  const released = inFile === null;
  const [[{ held: cells }]] = places;
  for (let cell = 0; cell < cells.bins.length; cell++) {
    if (powers !== null && addFew(sum, sizes, cells, powers, cell, listed, held, released)) continue;
    const add = cells.bins[cell] >= MANY_HIDDEN ? addThin : addThick;
    for (let i = 0; i < places.length; i++) add(sum, sizes, places[i], cell, listed, held, released);
  }
  if (own) {
    for (const place of places) {
      own.forget();
      for (let cell = 0; cell < cells.bins.length; cell++) addOwn(own, place, cell, listed, held, released);
    }
  }
}

const ORDER = 6; // of the factorial moments that are used
const FEW_IN_A_BIN = 0.1; // entries on average in the largest part: moments of a higher order add less than 1e-8
const SIGNS = Array.from({ length: ORDER + 1 }, (_, j) => Array.from({ length: ORDER + 1 }, (_, size) => (size && size <= j ? choicesOf(size - 1)[j - 1] * (-1) ** (j - size) : 0)));

/** The chances of the classes in the parts of a county: the largest of each, and sums of products of powers of those of two. */
class PowerSums {
  constructor(chances) {
    this.chances = chances;
    this.largest = chances[0].map((_, kind) => chances.reduce((most, q) => Math.max(most, q[kind]), 0));
    this.known = new Map();
  }

  /** Sums over the parts of the i-th power of one chance times the j-th of the other, i + j at most the order: at i (ORDER + 1) + j. */
  of(one, other) {
    const name = one * this.largest.length + other;
    let sums = this.known.get(name);
    if (!sums) {
      sums = new Float64Array((ORDER + 1) ** 2);
      for (const q of this.chances) {
        for (let i = 0, power = 1; i <= ORDER; i++, power *= q[one]) {
          for (let j = 0, product = power; i + j <= ORDER; j++, product *= q[other]) sums[i * (ORDER + 1) + j] += product;
        }
      }
      this.known.set(name, sums);
    }
    return sums;
  }
}

const WAYS = Array.from({ length: 4 }, () => new Float64Array(ORDER + 1));

/** Coefficients of (1 + t)^n exp(s t), and of t times the derivative of its first factor: put into all and on. */
function waysWithStale(n, s, all, on) {
  all[0] = 1;
  on[0] = 0;
  for (let j = 1; j <= ORDER; j++) {
    all[j] = (all[j - 1] * (n - j + 1 + s) + (s && j > 1 ? s * all[j - 2] : 0)) / j;
    on[j] = n * all[j - 1] - on[j - 1];
  }
}

/** Add a cell of one or two classes in all parts of a county; false where its bins have too many entries. */
function addFew(sum, sizes, { bins, w, first, kind, n, chance, gone }, powers, cell, listed, held, released) {
  const at = first[cell];
  const many = first[cell + 1] - at;
  if (many > 2) return false;
  const c = chance === null ? listed : chance[at];
  if (!many || !c) return true;
  const stale = released ? gone : 0;
  const scale = (c * held) / bins[cell];
  const other = at + many - 1;
  const most = n[at] * powers.largest[kind[at]] + (many > 1 ? n[other] * powers.largest[kind[other]] : 0);
  if (most * scale * (1 + stale) > FEW_IN_A_BIN || (chance !== null && Math.abs(chance[other] - c) > SAME_SHARE)) return false;
  const [all, on, beside, onBeside] = WAYS;
  waysWithStale(n[at], stale * n[at], all, on);
  waysWithStale(many > 1 ? n[other] : 0, many > 1 ? stale * n[other] : 0, beside, onBeside);
  const sums = powers.of(kind[at], kind[other]);
  const whole = bins[cell] * w[cell];
  let power = whole;
  let two = 0;
  for (let j = 1; j <= ORDER; j++) {
    let moment = 0;
    for (let i = 0; i <= j; i++) moment += (on[i] * beside[j - i] + all[i] * onBeside[j - i]) * sums[i * (ORDER + 1) + j - i];
    power *= scale;
    moment *= power;
    sum.risk += (j % 2 ? moment : -moment) / j;
    two += moment * SIGNS[j][2];
    const signs = SIGNS[j];
    for (let size = 1; size <= j && size < sizes.length; size++) sizes[size] += moment * signs[size];
  }
  if (c < 1) sum.wrong += ((1 - c) / c) * two; // who is missed has the same others as who is listed
  return true;
}

/** Add a cell whose bins are many. */
function addThin(sum, sizes, place, cell, listed, held, released) {
  const bins = place[0].held.bins[cell];
  const scale = held / bins;
  let one = 0;
  let two = 0;
  let three = 0;
  let gone = 0;
  let missed = 0;
  let bend = 0;
  for (let at = 0; at < place.length; at++) {
    const { held: { first, kind, n, chance, gone: stale, own }, q } = place[at];
    let entries = 0;
    for (let k = first[cell], end = first[cell + 1]; k < end; k++) {
      const c = chance === null ? listed : chance[k];
      const p = q[kind[k]] * scale;
      const x = c * p;
      const mean = n[k] * x;
      const square = mean * x;
      entries += mean;
      two += square;
      three += square * x;
      if (c < 1) {
        const left = n[k] * (1 - c) * p * (own ? own.left[k] : 1) * (1 + x + x * x);
        missed += left;
        bend += left * (x + x * x);
      }
    }
    one += entries;
    if (released) gone += entries * stale;
  }
  if (!one) return;
  const all = bins * place[0].held.w[cell];
  const empty = -(one + two / 2 + three / 3 + gone);
  const none = onePlace(1, empty);
  sum.risk += all * (gone ? linksOfSums(empty, one, two, gone) : -onePlace(1, empty, Math.expm1));
  const [first, second] = [one + two + three, two + 2 * three];
  if (missed) sum.wrong += all * none * Math.max(missed * (first + gone) - bend, 0);
  if (one > NEVER_EMPTY + sizes.length) return;
  let now = none;
  let before = 0;
  let beforeThat = 0;
  for (let size = 1; size < sizes.length; size++) {
    const next = (first + gone) * now - second * before + three * beforeThat; // size times the chance of so many entries
    sizes[size] += all * (next - gone * now);
    beforeThat = before;
    before = now;
    now = next / size;
  }
}

const MOST_ENTRIES = 1024; // of a bin
const MOST_CLASSES = 1 << 15; // of a cell of a place: 77 in each county
const POWERS = new Float64Array(MOST_ENTRIES + 1);
const LARGE = { n: new Float64Array(MOST_CLASSES), x: new Float64Array(MOST_CLASSES) }; // people and chance of classes of large odds

/** Add a cell of few bins. */
function addThick(sum, sizes, place, cell, listed, held, released) {
  const bins = place[0].held.bins[cell];
  const g = sizes.length - 1;
  const scale = held / bins;
  let mean = 0;
  let squares = 0;
  let gone = 0;
  for (let at = 0; at < place.length; at++) {
    const { held: { first, kind, n, chance, gone: stale }, q } = place[at];
    let entries = 0;
    for (let k = first[cell]; k < first[cell + 1]; k++) {
      const x = Math.min(q[kind[k]] * (chance === null ? listed : chance[k]) * scale, 1);
      entries += n[k] * x;
      squares += n[k] * x * x;
    }
    mean += entries;
    if (released) gone += entries * stale;
  }
  if (!mean) return;
  const all = bins * place[0].held.w[cell];
  if (mean > NEVER_EMPTY + g) {
    sum.risk += all * (gone ? linksOfSums(-mean - gone, mean, squares, gone) : 1);
    return;
  }
  POWERS.fill(0, 0, g);
  let large = 0;
  const limit = Math.min(1, SAFE_ODDS / g);
  let log = 0;
  let certain = 0;
  let hits = 0;
  let missed = 0;
  let bend = 0;
  let largeLog = 0;
  for (let at = 0; at < place.length; at++) {
    const { held: { first, kind, n, chance, own }, q } = place[at];
    for (let k = first[cell]; k < first[cell + 1]; k++) {
      const p = q[kind[k]] * scale;
      const c = chance === null ? listed : chance[k];
      const x = Math.min(p * c, 1);
      if (!p) continue;
      if (x === 1) {
        certain += n[k];
        continue;
      }
      const miss = x < SMALL_CHANCE ? -x * (1 + x * (1 / 2 + x * (1 / 3 + x * (1 / 4 + x * (1 / 5 + x / 6))))) : Math.log1p(-x);
      const odds = x / (1 - x);
      log += n[k] * miss;
      hits += n[k] * odds;
      if (c < 1) {
        const left = (n[k] * (1 - c) * p * (own ? own.left[k] : 1)) / (1 - x);
        missed += left;
        bend += left * odds;
      }
      if (odds <= limit) {
        const least = n[k] * odds * LEAST_TERM;
        for (let power = n[k] * odds, j = 0; j < g && power > least; power *= odds) POWERS[j++] += power;
      } else {
        LARGE.n[large] = n[k];
        LARGE.x[large++] = x;
        largeLog += n[k] * miss;
      }
    }
  }
  const empty = log - gone;
  sum.risk += all * (gone ? linksOfSums(certain ? -Infinity : empty, mean, squares, gone) : certain ? 1 : -onePlace(1, empty, Math.expm1));
  if (missed && certain < 2) sum.wrong += all * onePlace(1, empty) * (certain ? missed : Math.max(missed * (hits + gone) - bend, 0));
  if (certain > g) return;
  const chances = chancesOfClasses(empty - largeLog, gone, certain, large, g);
  for (let size = 1; size <= g; size++) sizes[size] += all * Math.max(size * chances[size] - gone * chances[size - 1], 0);
}

const BY_SIZE = { now: new Float64Array(MOST_ENTRIES + 1), own: new Float64Array(MOST_ENTRIES + 1), next: new Float64Array(MOST_ENTRIES + 1) };

/** How likely a bin has 0, 1, ..., g entries, of which some are there for certain: by POWERS and the first of LARGE; used at once. */
function chancesOfClasses(empty, gone, certain, large, g) {
  let { now, next } = BY_SIZE;
  now[0] = onePlace(1, empty);
  for (let size = 1; size <= g; size++) {
    let total = (POWERS[0] + gone) * now[size - 1];
    for (let j = 1, sign = -1; j < size && POWERS[j]; j++, sign = -sign) total += sign * POWERS[j] * now[size - 1 - j];
    now[size] = Math.max(total / size, 0);
  }
  for (let i = 0; i < large; i++) {
    const end = Math.min(g, LARGE.n[i]);
    binomialChances(BY_SIZE.own, LARGE.n[i], LARGE.x[i], end);
    for (let size = 0; size <= g; size++) {
      next[size] = 0;
      for (let by = 0; by <= Math.min(size, end); by++) next[size] += now[size - by] * BY_SIZE.own[by];
    }
    [now, next] = [next, now];
  }
  if (certain) for (let size = g; size >= 0; size--) now[size] = size >= certain ? now[size - certain] : 0;
  return now;
}

/** Add what the released of a cell bear. */
function addOwn(own, place, cell, listed, held, released) {
  const persons = [];
  let [mean, stale] = [0, 0];
  for (const { held: { bins, first, kind, n, chance, gone, own: shares }, q } of place) {
    for (let k = first[cell]; k < first[cell + 1]; k++) {
      const x = Math.min((q[kind[k]] * (chance === null ? listed : chance[k]) * held) / bins[cell], 1);
      if (!x) continue;
      persons.push({ trials: n[k], x, share: shares.listed[k] });
      mean += n[k] * x;
      if (released) stale += n[k] * x * gone;
    }
  }
  if (persons.length) own.addCell(place[0].held.bins[cell], persons, stale, mean + stale);
}
