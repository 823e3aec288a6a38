// ZIP codes by the make-up of the county: policy_sim/binning/county_parts.py, parts.py and binomial_sums.py.

const SMALL_CELL = 0.1; // of the county: up to here one term of the hypergeometric is enough
const SAFE_ODDS = 10;
const NEARLY_CERTAIN = 0.9; // above this chance the failures of a trial are counted, not its successes

/** The parts of each county by ZIP code area: { zip, share } in order of the code. */
function zipPartsOf(bytes, counties) {
  const numbers = new Varints(bytes);
  return Array.from({ length: counties }, () => {
    let code = 0;
    let whole = 0;
    const parts = Array.from({ length: numbers.next() }, () => {
      code += numbers.next();
      const people = numbers.next();
      whole += people;
      return { zip: String(code).padStart(5, "0"), people };
    });
    return parts.map(({ zip, people }) => ({ zip, share: people / whole }));
  });
}

/** The pieces of a county: parts that show the same place are one piece, small places share one. */
function piecesOf(parts, key) {
  const hidden = key.small ? key.small.hidden : null;
  const shares = new Map();
  for (const { zip, share } of parts) {
    const zip3 = zip.slice(0, 3);
    const place = hidden?.has(zip3) ? "000" : key.geography === "zip3" ? zip3 : zip;
    shares.set(place, (shares.get(place) ?? 0) + share);
  }
  return [...shares].map(([place, share]) => [place, Math.min(share, 1)]);
}

/** The groups of a set of counties by what a key shows of people and ZIP code. */
function zipGroups(people, counties, plan, key, zipParts) {
  const held = counties.map((county) => {
    const sums = new Float64Array(plan.size);
    const cells = people.county(county);
    addCounty(sums, cells, plan.to);
    const collected = new Collected();
    for (let i = 0; i < plan.size; i++) if (sums[i]) collected.add(sums[i], plan.bins[i]);
    const residents = cells.reduce((sum, each) => sum + each, 0);
    return { sums, residents, pieces: piecesOf(zipParts[county], key), alike: byBins(collected.groups()) };
  });
  if (key.geography === "county_zip5") {
    return { kind: "parts", counties: held.map(({ residents, pieces, alike }) => ({ residents, shares: pieces.map(([, share]) => share), alike })) };
  }
  const places = new Map();
  held.forEach(({ pieces, ...county }) => pieces.forEach(([place, share]) => {
    if (!places.has(place)) places.set(place, []);
    places.get(place).push({ ...county, share });
  }));
  const kinds = [...new Set(plan.bins)].map((bins) => ({ bins, cells: Int32Array.from(plan.bins.keys()).filter((cell) => plan.bins[cell] === bins) }));
  return { kind: "placed", kinds, places: [...places.values()] };
}

/** Groups apart by their bins: { bins, n, w } each. */
function byBins({ n, b, w }) {
  const kinds = [];
  for (let first = 0, i = 1; i <= n.length; i++) {
    if (i < n.length && b[i] === b[first]) continue;
    kinds.push({ bins: b[first], n: n.subarray(first, i), w: w.subarray(first, i) });
    first = i;
  }
  return kinds;
}

/** Whether a bin with this mean is out of the question for g or fewer. */
function tooMany(mean, g) {
  return mean > g + 60 + 9 * Math.sqrt(g);
}

/** What parts of single counties reveal; with g = 1 the groups of g or fewer are those alone. */
function measuredParts(groups, listed, inFile, g) {
  const held = inFile ?? 1;
  const sum = { risk: 0, alone: 0, distinct: 0, wrong: 0 };
  for (const { residents, shares, alike } of groups.counties) {
    for (const kind of alike) for (const p of shares) addPart(sum, kind, residents, p, listed * held, g);
  }
  const wrong = listed === 1 ? 0 : Math.max(sum.wrong, 0) * held * (1 - listed);
  return { risk: sum.risk, alone: sum.alone, distinct: g > 1 ? sum.distinct : sum.alone, claims: sum.alone + wrong, correct: sum.alone };
}

function addPart(sum, { bins, n, w }, residents, p, c, g) {
  const x = (p * c) / bins;
  const miss = logMiss(bins, p * c);
  const less = (p * (1 - p)) / (2 * residents);
  const rare = bins * (c / bins) ** 2 * less;
  const [hit, odds] = [1 - x, x / (1 - x)];
  const most = SMALL_CELL * residents;
  let [risk, alone, wrong, distinct] = [0, 0, 0, 0];
  for (let i = 0; i < n.length; i++) {
    const people = n[i];
    const times = w[i];
    if (x >= 1) {
      risk += times * bins;
      if (people === 1) alone += times;
      if (people <= g) distinct += times * people;
      continue;
    }
    const log = people * miss;
    const near = log > -0.69;
    const gone = near ? Math.expm1(log) : Math.exp(log) - 1;
    const empty = near ? 1 + gone : gone > -0.999 ? 1 + gone : Math.exp(log);
    const both = times * people * (people - 1);
    const pairs = people <= most ? both : 0;
    const two = empty / (hit * hit); // (1 - x)^(n - 2)
    risk += rare * pairs * two - bins * times * gone;
    alone += times * people * p * c * (empty / hit) + rare * pairs * two * (2 - (people - 2) * odds);
    wrong += two * (both * p * p - less * pairs * (2 - 4 * odds * (people - 2) + odds * odds * (people - 2) * (people - 3)));
    if (g > 1 && !tooMany((people - 1) * x, g)) distinct += times * distinctUpTo(people, bins, g, p * c) + rare * pairs * secondDifference(people - 2, odds, two, g);
  }
  sum.risk += risk;
  sum.alone += alone;
  sum.distinct += distinct;
  sum.wrong += (c / bins) * wrong;
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

/** What places that are put together of parts of several counties reveal. */
function measuredPlaces(groups, listed, inFile, g) {
  const held = inFile ?? 1;
  const c = listed * held;
  const sum = { risk: 0, alone: 0, distinct: 0, wrong: 0 };
  const wantWrong = listed < 1;
  for (const place of groups.places) {
    if (place.length === 1) {
      const [{ alike, residents, share }] = place;
      for (const { bins, n, w } of alike) addPlace(sum, [factorsOf(bins, c, share, residents, n)], w, n.length, { bins, c, g, wantWrong });
      continue;
    }
    for (const { bins, cells } of groups.kinds) {
      const pieces = place.map(({ sums, residents, share }) => factorsOf(bins, c, share, residents, cells.length === sums.length ? sums : Float64Array.from(cells, (cell) => sums[cell])));
      addPlace(sum, pieces, null, cells.length, { bins, c, g, wantWrong });
    }
  }
  const wrong = wantWrong ? sum.wrong * held * (1 - listed) : 0;
  return { risk: sum.risk, alone: sum.alone, distinct: g > 1 ? sum.distinct : sum.alone, claims: sum.alone + wrong, correct: sum.alone };
}

/** What the formulas need of a county's share of a place, whatever the number of people. */
function factorsOf(bins, c, p, residents, people) {
  const x = Math.min((p * c) / bins, 1);
  const hit = 1 - x;
  const fixed = (p * (1 - p)) / residents;
  const rare = ((c / bins) ** 2 / 2) * fixed;
  return {
    people, x, rare, most: SMALL_CELL * residents, odds: x / hit, log: Math.log1p(-x), lost: rare / hit ** 2,
    slope: p / hit, slopePairs: (fixed * c) / bins / hit ** 3, bend: (p / hit) ** 2, bendPairs: (fixed * (1 + 2 * x)) / hit ** 4,
  };
}

/** Add every cell of a place: weights are how many cells are alike, or null for one each. */
function addPlace(sum, pieces, weights, cells, { bins, c, g, wantWrong }) {
  let [risk, alone, wrong, distinct] = [0, 0, 0, 0];
  for (let cell = 0; cell < cells; cell++) {
    // P(0) and P(1) of the sum: of the counties of small odds by a series, of the others one by one
    let log = 0;
    let first = 0;
    let mean = 0;
    let certain = 0;
    let slope = 0;
    let bend = 0;
    let all = 0;
    let large = false;
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i];
      const n = piece.people[cell];
      if (!n) continue;
      all += n;
      mean += n * piece.x;
      const pairs = n <= piece.most ? n * (n - 1) : 0;
      if (piece.x === 1) certain += n;
      else {
        log += piece.log * n - piece.lost * pairs;
        first += piece.odds * n + piece.lost * pairs * 2 * (piece.odds + 1);
        if (piece.odds > 1) large = true;
      }
      if (wantWrong) {
        slope += piece.slope * n + piece.slopePairs * pairs;
        bend += piece.bend * n + piece.bendPairs * pairs;
      }
    }
    if (!all) continue;
    const times = weights ? weights[cell] : 1;
    risk += times * (certain ? bins : -bins * Math.expm1(log));
    if (!tooMany(mean, 1)) {
      const one = large || certain ? sumChances(pieces, cell, 1)[1] : Math.max(Math.exp(log) * first, 0);
      alone += times * bins * one;
    }
    if (g > 1 && !tooMany(mean, g)) {
      const chances = sumChances(pieces, cell, g);
      for (let size = 1; size <= g; size++) distinct += times * bins * size * chances[size];
    }
    if (wantWrong && !certain && log > -745) wrong += times * Math.exp(log) * Math.max(slope * slope - bend, 0);
  }
  sum.risk += risk;
  sum.alone += alone;
  sum.distinct += distinct;
  sum.wrong += (c / bins) * wrong;
}

/** How often the sum of the binomials of a cell is 0, 1, ..., g. */
function sumChances(pieces, cell, g) {
  const limit = Math.min(1, SAFE_ODDS / g);
  let chances = new Float64Array(g + 1);
  chances[0] = 1;
  seriesChances(chances, pieces, cell, g, limit);
  let shift = 0;
  for (const piece of pieces) {
    const n = piece.people[cell];
    if (!n) continue;
    if (piece.x === 1) shift += n;
    else if (piece.odds > limit) chances = convolved(chances, pieceChances(piece, n, g));
  }
  if (!shift) return chances;
  const moved = new Float64Array(g + 1);
  for (let size = shift; size <= g; size++) moved[size] = chances[size - shift];
  return moved;
}

/** Chances from the logarithm of the generating function of the counties of small odds. */
function seriesChances(chances, pieces, cell, g, limit) {
  const terms = new Float64Array(g + 1);
  for (const { people, x, odds, log, lost, most } of pieces) {
    const n = people[cell];
    if (!n || x === 1 || odds > limit) continue;
    const pairs = n <= most ? n * (n - 1) : 0;
    let before = 0;
    let earlier = 0;
    let power = 1;
    for (let size = 0; size <= g; size++) {
      const sign = size % 2 ? -1 : 1;
      const now = (size + 1) * power * sign;
      terms[size] += (size ? (-sign * power) / size : log) * n - lost * pairs * (now - 2 * before + earlier);
      earlier = before;
      before = now;
      power *= odds;
    }
  }
  chances[0] = Math.exp(terms[0]);
  for (let size = 1; size <= g; size++) {
    let total = 0;
    for (let step = 1; step <= size; step++) total += step * terms[step] * chances[size - step];
    chances[size] = Math.max(total / size, 0);
  }
}

function binomialChances(n, x, g) {
  const table = new Float64Array(g + 1);
  const people = Math.max(n, 0);
  if (x > NEARLY_CERTAIN) {
    // counted down from all successes: no success is a number too small to be held
    let value = x ** people;
    for (let size = people; size >= 0; size--) {
      if (size <= g) table[size] = value;
      value *= (size / (people - size + 1)) * ((1 - x) / x);
    }
    return table;
  }
  table[0] = Math.exp(people * logMiss(1, x));
  for (let size = 1; size <= g; size++) table[size] = table[size - 1] * (Math.max(people - (size - 1), 0) / size) * (x / (1 - x));
  return table;
}

function pieceChances({ x, rare, most }, n, g) {
  const own = binomialChances(n, x, g);
  if (n > most) return own;
  const others = binomialChances(n - 2, x, g);
  const less = rare * n * (n - 1);
  return own.map((chance, size) => Math.max(chance - less * (others[size] - 2 * (others[size - 1] ?? 0) + (others[size - 2] ?? 0)), 0));
}

function convolved(first, second) {
  const result = new Float64Array(first.length);
  for (let size = 0; size < first.length; size++) for (let by = 0; by <= size; by++) result[size] += first[size - by] * second[by];
  return result;
}

/** The expected people in bins of 1, 2, ..., most people: as sizesOf, of groups by ZIP code. */
function sizesByZip(groups, listed, inFile, most) {
  const c = listed * (inFile ?? 1);
  const sizes = new Float64Array(most + 1);
  if (groups.kind === "placed") {
    for (const place of groups.places) placeSizes(sizes, place, groups.kinds, c, most);
    return sizes;
  }
  const rarer = new Float64Array(most + 1); // expected bins of the term in 1/M
  for (const { residents, shares, alike } of groups.counties) {
    for (const kind of alike) for (const p of shares) partSizes(sizes, rarer, kind, residents, p, c, most);
  }
  for (let g = most; g > 0; g--) {
    const upTo = (size) => (size ? (size + 1) * rarer[size - 1] - size * rarer[size] : 0);
    sizes[g] += upTo(g) - upTo(g - 1);
  }
  return sizes;
}

function partSizes(sizes, rarer, { bins, n, w }, residents, p, c, most) {
  const x = (p * c) / bins;
  const odds = x / (1 - x);
  const miss = logMiss(bins, p * c);
  const rare = (bins * (c / bins) ** 2 * (p * (1 - p))) / (2 * residents);
  for (let i = 0; i < n.length; i++) {
    const people = n[i];
    if (x >= 1) {
      if (people <= most) sizes[people] += w[i] * people;
      continue;
    }
    if (tooMany((people - 1) * x, most)) continue;
    let own = w[i] * people * p * c * Math.exp((people - 1) * miss);
    let pair = people <= SMALL_CELL * residents && people > 1 ? rare * w[i] * people * (people - 1) * Math.exp((people - 2) * miss) : 0;
    const mean = people * x;
    for (let k = 0; k <= most; k++) {
      if (k < most) sizes[k + 1] += own;
      rarer[k] += pair;
      own *= (Math.max(people - 1 - k, 0) / (k + 1)) * odds;
      pair *= (Math.max(people - 2 - k, 0) / (k + 1)) * odds;
      if (k > mean && own < 1e-12 && pair < 1e-12) break;
    }
  }
}

function placeSizes(sizes, place, kinds, c, most) {
  const add = (pieces, weights, cells, bins) => {
    for (let cell = 0; cell < cells; cell++) {
      const mean = pieces.reduce((sum, piece) => sum + piece.people[cell] * piece.x, 0);
      if (!mean || tooMany(mean, most)) continue;
      const chances = sumChances(pieces, cell, most);
      for (let size = 1; size <= most; size++) sizes[size] += (weights ? weights[cell] : 1) * bins * size * chances[size];
    }
  };
  if (place.length === 1) {
    const [{ alike, residents, share }] = place;
    for (const { bins, n, w } of alike) add([factorsOf(bins, c, share, residents, n)], w, n.length, bins);
    return;
  }
  for (const { bins, cells } of kinds) {
    add(place.map(({ sums, residents, share }) => factorsOf(bins, c, share, residents, Float64Array.from(cells, (cell) => sums[cell]))), null, cells.length, bins);
  }
}
