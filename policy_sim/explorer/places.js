// Places put together of parts of several counties: policy_sim/formulas/parts.py and binomial.py.
//
// A bin of a place holds a sum of binomials, one for each county. Counties that lie in the place with all their people
// are one binomial. What a piece adds to a cell is a number of the piece times its people: one pass over the cells of a
// place for each piece.

const NO_LOG = -60; // exp of less counts for nothing

/** What the formulas need of a piece whose people are on the list with chance c. */
function factorsOf({ p, n, gone = 0, own = null }, bins, c, held) {
  const chance = (c * held) / bins;
  const x = Math.min(p * chance, 1);
  const hit = 1 - x;
  return { n, gone, own, x, odds: x / hit, log: Math.log1p(-x), chance, missed: held * (1 - c), slope: p / hit, bend: (p / hit) ** 2 };
}

/**
 * The pieces of a place with their factors, those whose people are surely entries apart: how many these are (certain).
 * Stale records on average in a bin, of each cell, and every piece.
 */
function piecesAt({ bins, many, full, pieces }, listed, inFile) {
  const held = inFile ?? 1;
  const all = pieces.map((piece) => factorsOf(piece, bins, piece.chance ?? listed, held));
  if (full) all.push(factorsOf({ p: 1, n: full }, bins, listed, held));
  const stale = inFile === null && pieces.some(({ gone }) => gone) ? ROOM.take("stale", many) : null;
  if (stale) for (const { n, x, gone } of all) if (gone) for (let i = 0; i < many; i++) stale[i] += n[i] * x * gone;
  let certain = null;
  for (const { n, x } of all) if (x === 1) for (let i = 0; i < many; i++) (certain ??= ROOM.take("certain", many))[i] += n[i];
  return { all: all.filter(({ x }) => x < 1), every: all, certain, stale };
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

/** Add a factor times the people to every cell; or the part of it that weighs. */
function addTo(sums, { n }, factor, many, weights = null) {
  if (weights) for (let i = 0; i < many; i++) sums[i] += weights[i] * factor * n[i];
  else for (let i = 0; i < many; i++) sums[i] += factor * n[i];
}

/** What places reveal, place by place; with g = 1 the groups of g or fewer are those alone. */
function* measuringPlaces(groups, listed, inFile, g) {
  const sum = { risk: 0, alone: 0, distinct: 0, wrong: 0 };
  const ahead = isAhead(groups, listed, inFile) && g < groups.ahead.upTo.length ? groups.ahead.upTo[g] : null;
  const own = groups.released ? new OwnShares(ahead === null ? g : 1) : null;
  for (const place of groups.mixed) {
    const pieces = piecesAt(place, listed, inFile);
    addPlace(sum, place, pieces, ahead === null ? g : 1);
    own?.add(place, pieces);
    yield;
  }
  own?.apply(sum);
  const whole = measured(groups.whole, listed, inFile, g);
  const alone = sum.alone + whole.alone;
  return { risk: sum.risk + whole.risk, alone, distinct: g > 1 ? ahead ?? sum.distinct + whole.distinct : alone, claims: sum.alone + sum.wrong + whole.claims, correct: alone };
}

function addPlace(sum, { bins, many }, pieces, g) {
  const { all, certain, stale } = pieces;
  const [log, first] = [ROOM.take("log", many), ROOM.take("first", many)];
  const [small, large] = [all.filter(({ odds }) => odds <= 1), all.filter(({ odds }) => odds > 1)];
  severalPlaces(log, small, many);
  for (const piece of small) addTo(first, piece, piece.odds, many);
  const rest = large.length ? ROOM.take("large", many) : null;
  if (rest) severalPlaces(rest, large, many);
  let [risk, alone] = [0, 0];
  for (let i = 0; i < many; i++) {
    const others = rest ? log[i] + rest[i] : log[i];
    const gone = stale ? stale[i] : 0;
    const empty = others - gone;
    risk += (certain !== null && certain[i]) || empty < NO_LOG ? 1 : -Math.expm1(empty);
    if (gone) risk -= gone * meanEmpty(pieces, i, gone);
    if (others < NO_LOG || (certain !== null && certain[i] > 1)) continue;
    const none = Math.exp(log[i]);
    const one = Math.max(none * first[i], 0);
    const taken = certain !== null && certain[i] === 1;
    alone += (rest ? aloneBeside(large, i, none, one, taken) : taken ? none : one) * (gone ? Math.exp(-gone) : 1);
  }
  sum.risk += bins * risk;
  sum.alone += bins * alone;
  if (all.some(({ missed }) => missed)) sum.wrong += wrongIn(pieces, log, rest, many);
  if (g > 1) sum.distinct += bins * distinctIn(pieces, many, g);
}

/** The integral over u from 0 to 1 of the generating function of the entries of a bin at 1 - u. */
function meanEmpty({ all, certain }, cell, stale) {
  const sure = certain ? certain[cell] : 0;
  const rate = all.reduce((sum, { n, x }) => sum + n[cell] * x, sure + stale);
  const { at, weight } = nodesFor(rate);
  const end = Math.min(1, FAR / rate);
  let sum = 0;
  for (let i = 0; i < at.length; i++) {
    const u = end * at[i];
    let log = sure * Math.log1p(-u) - stale * u;
    for (const { n, x } of all) if (n[cell]) log += n[cell] * Math.log1p(-x * u);
    sum += weight[i] * Math.exp(log);
  }
  return sum * end;
}

/** The chance of one person, or of nobody, in a bin after the pieces of large odds; before them: of nobody, of one. */
function aloneBeside(large, cell, none, one, taken) {
  for (const { n, odds, log } of large) {
    const people = n[cell];
    if (!people) continue;
    const nobody = onePlace(people, log);
    one = none * people * odds * nobody + one * nobody;
    none *= nobody;
  }
  return taken ? none : one;
}

/**
 * Records claimed for somebody else, added up: of people who are not listed and whose bin has one entry. By the
 * derivatives of the logarithm of the generating function for each piece: weighted by its chance (hits) and by its
 * people who are not listed (misses), and the second ones by both (bend).
 */
function wrongIn({ all, certain, stale }, log, largeLog, many) {
  const [hits, misses, bend] = [ROOM.take("hits", many), ROOM.take("misses", many), ROOM.take("bend", many)];
  for (const piece of all) {
    const { chance, missed, slope } = piece;
    addTo(hits, piece, chance * slope, many);
    addTo(misses, piece, missed * slope, many, piece.own?.left);
    addTo(bend, piece, chance * missed * piece.bend, many, piece.own?.left);
  }
  let wrong = 0;
  for (let i = 0; i < many; i++) {
    const gone = stale ? stale[i] : 0;
    const sure = certain ? certain[i] : 0;
    const empty = log[i] + (largeLog ? largeLog[i] : 0) - gone;
    if (empty <= NO_LOG || sure > 1) continue;
    wrong += Math.exp(empty) * (sure ? misses[i] : Math.max(misses[i] * hits[i] - bend[i], 0) + gone * misses[i]);
  }
  return wrong;
}

/** The expected people in bins of at most g, divided by the bins, over the cells of a place. */
function distinctIn(pieces, many, g) {
  const { all, certain, stale } = pieces;
  const sums = new SumsOfPieces(all, g);
  const [mean, total] = [ROOM.take("mean", many), ROOM.take("total", many)];
  for (const { n, x } of all) {
    for (let i = 0; i < many; i++) {
      mean[i] += x * n[i];
      total[i] += n[i];
    }
  }
  const [least, most] = openFor(g);
  let distinct = 0;
  for (let i = 0; i < many; i++) {
    const shift = certain ? certain[i] : 0;
    const gone = stale ? stale[i] : 0;
    if (shift > g) continue;
    if (gone) {
      if (mean[i] > most) continue;
      const chances = sums.chances(i, g - shift).subarray(0, g - shift + 1);
      const upTo = upToStale(gone, g);
      chances.forEach((chance, size) => (distinct += (size + shift) * chance * upTo[g - size - shift]));
      continue;
    }
    const surely = shift + total[i] <= g || mean[i] + shift < least;
    if (surely) distinct += mean[i] + shift;
    else if (mean[i] <= most) distinct += sums.people(i, g - shift, shift);
  }
  return distinct;
}

/** Whether the people in bins of every small size are known already. */
function isAhead({ ahead }, listed, inFile) {
  return ahead !== undefined && ahead.listed === listed && ahead.inFile === inFile;
}

/** Find the people in bins of at most 1, 2, ..., most before they are asked for: then another group size costs nothing. */
function* lookAhead(groups, listed, inFile, most) {
  if (groups.kind !== "placed" || isAhead(groups, listed, inFile)) return;
  let sum = 0;
  const sizes = yield* sizesByPlace(groups, listed, inFile, most);
  groups.ahead = { listed, inFile, upTo: sizes.map((people) => (sum += people)) };
}

/** The expected people in bins of 1, 2, ..., most people: as sizesOf, of groups by ZIP code. */
function sizesByZip(groups, listed, inFile, most) {
  if (groups.kind === "classed") return sizesByClass(groups, listed, inFile, most);
  if (groups.kind === "parts") {
    const upTo = distinctInParts(groups, listed, inFile, most);
    return upTo.map((people, g) => (g ? people - upTo[g - 1] : 0));
  }
  return atOnce(sizesByPlace(groups, listed, inFile, most));
}

/** The same of places put together, place by place. */
function* sizesByPlace(groups, listed, inFile, most) {
  const sizes = sizesOf(groups.whole, listed, inFile, most);
  const own = groups.released ? new OwnShares(most) : null;
  for (const place of groups.mixed) {
    const pieces = piecesAt(place, listed, inFile);
    const { all, certain, stale } = pieces;
    own?.add(place, pieces);
    const sums = new SumsOfPieces(all, most);
    const [, highest] = openFor(most);
    for (let cell = 0; cell < place.many; cell++) {
      const shift = certain ? certain[cell] : 0;
      let [mean, total] = [0, 0];
      for (const { x, n } of all) {
        mean += x * n[cell];
        total += n[cell];
      }
      if (shift > most || mean > highest) continue;
      const end = Math.min(most - shift, total, largestFor(mean));
      const chances = sums.chances(cell, end);
      addSizes(sizes, chances, end, shift, stale ? stale[cell] : 0, place.bins);
    }
    yield;
  }
  return own ? own.ofSizes(sizes) : sizes;
}

/** Add the listed people of bins by the number of their entries: listed people, surely listed people, stale records. */
function addSizes(sizes, chances, end, shift, stale, bins) {
  const upTo = upToStale(stale, sizes.length);
  for (let size = 0; size <= end; size++) {
    const people = bins * (size + shift) * chances[size];
    if (!stale) sizes[size + shift] += people;
    else for (let gone = 0; size + shift + gone < sizes.length; gone++) sizes[size + shift + gone] += people * (upTo[gone] - (gone ? upTo[gone - 1] : 0));
  }
}
