// Places put together of parts of several counties: policy_sim/formulas/parts.py and binomial.py.
//
// A bin of a place holds a sum of binomials, one for each county. Counties that lie in the place with all their people
// are one binomial. What a piece adds to a cell is a number of the piece times its people, and another times the pairs
// of them: one pass over the cells of a place for each piece.

const SLIVER = 40; // people: of a smaller piece or county, what is cut off at 0 is not out of the question
const SMALL_COUNTY = 10000;
const NO_LOG = -60; // exp of less counts for nothing

/** What the formulas need of a piece whose people are on the list with chance c. */
function factorsOf({ p, residents, n, gone = 0, own = null }, bins, c, held) {
  const chance = (c * held) / bins;
  const x = Math.min(p * chance, 1);
  const hit = 1 - x;
  const fixed = p < 1 ? (p * (1 - p)) / residents : 0;
  const rare = (chance ** 2 / 2) * fixed;
  return {
    n, gone, own, x, rare, sliver: p * residents < SLIVER || residents < SMALL_COUNTY, most: p < 1 ? Infinity : -1, odds: x / hit, log: Math.log1p(-x), lost: rare / hit ** 2,
    chance, missed: held * (1 - c), slope: p / hit, slopePairs: (fixed * chance) / hit ** 3, bend: (p / hit) ** 2, bendPairs: (fixed * (1 + 2 * x)) / hit ** 4,
  };
}

/**
 * The pieces of a place with their factors, those whose people are surely entries apart: how many these are (certain).
 * Stale records on average in a bin, of each cell, the cells of large parts of a county (counted), and every piece.
 */
function piecesAt({ bins, many, full, pieces, counted }, listed, inFile) {
  const held = inFile ?? 1;
  const all = pieces.map((piece) => factorsOf(piece, bins, piece.chance ?? listed, held));
  if (full) all.push(factorsOf({ p: 1, residents: Infinity, n: full }, bins, listed, held));
  const stale = inFile === null && pieces.some(({ gone }) => gone) ? ROOM.take("stale", many) : null;
  if (stale) for (const { n, x, gone } of all) if (gone) for (let i = 0; i < many; i++) stale[i] += n[i] * x * gone;
  let certain = null;
  for (const { n, x } of all) if (x === 1) for (let i = 0; i < many; i++) (certain ??= ROOM.take("certain", many))[i] += n[i];
  const large = new Map([...counted].map(([cell, parts]) => [cell, parts.map((part) => ({ ...part, hit: ((part.chance ?? listed) * held) / bins, missed: held * (1 - (part.chance ?? listed)) }))]));
  if (stale) for (const [cell, parts] of large) for (const { people, p, hit, gone } of parts) stale[cell] += people * p * hit * gone;
  return { all: all.filter(({ x }) => x < 1), every: all, certain, stale, counted: large };
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

/** Add a factor times the people, and another times the pairs of them, to every cell; or the part of both that weighs. */
function addTo(sums, { n, most }, ofPeople, ofPairs, many, weights = null) {
  if (weights) {
    for (let i = 0; i < many; i++) sums[i] += weights[i] * n[i] * (ofPeople + (n[i] <= most ? ofPairs * (n[i] - 1) : 0));
    return;
  }
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
  const counted = binsOf(pieces.counted);
  const [log, first] = [ROOM.take("log", many), ROOM.take("first", many)];
  for (const piece of all) if (piece.odds <= 1) addOdds(log, first, piece, many);
  const large = all.filter(({ odds }) => odds > 1);
  const rest = large.length ? ROOM.take("large", many) : null;
  for (const piece of large) addTo(rest, piece, piece.log, -piece.lost, many);
  let [risk, alone] = [0, 0];
  for (let i = 0; i < many; i++) {
    const own = counted.get(i);
    const others = rest ? log[i] + rest[i] : log[i];
    const gone = stale ? stale[i] : 0;
    const empty = others + (own ? logOf(own) : 0) - gone;
    risk += (certain !== null && certain[i]) || empty < NO_LOG ? 1 : -Math.expm1(empty);
    if (gone) risk -= gone * meanEmpty(pieces, i, gone);
    if (others < NO_LOG || (certain !== null && certain[i] > 1)) continue; // of counted people, one may be sure
    const none = Math.exp(log[i]);
    const one = Math.max(none * first[i], 0);
    const taken = certain !== null && certain[i] === 1;
    alone += (rest || own ? aloneBeside(large, i, none, one, taken, own) : taken ? none : one) * (gone ? Math.exp(-gone) : 1);
  }
  sum.risk += bins * risk;
  sum.alone += bins * alone;
  if (all.some(({ missed }) => missed) || [...counted.values()].some((parts) => parts.some(({ missed }) => missed))) sum.wrong += wrongIn(pieces, log, rest, many, counted);
  if (g > 1) sum.distinct += bins * distinctIn(pieces, many, g);
}

/** The integral over u from 0 to 1 of the generating function of the entries of a bin at 1 - u. */
function meanEmpty({ all, certain, counted }, cell, stale) {
  const sure = certain ? certain[cell] : 0;
  const parts = counted.get(cell) ?? [];
  const rate = all.reduce((sum, { n, x }) => sum + n[cell] * x, sure + stale) + parts.reduce((sum, { people, p, hit }) => sum + people * p * hit, 0);
  const { at, weight } = nodesFor(rate);
  const end = Math.min(1, FAR / rate);
  const ofParts = parts.map((part) => countedMeans(part, part.hit, at.map((place) => end * place)));
  let sum = 0;
  for (let i = 0; i < at.length; i++) {
    const u = end * at[i];
    let log = sure * Math.log1p(-u) - stale * u;
    for (const { n, x, rare, most } of all) {
      const people = n[cell];
      if (people) log += people * Math.log1p(-x * u) - (people <= most ? rare * people * (people - 1) * (u / (1 - x * u)) ** 2 : 0);
    }
    sum += weight[i] * ofParts.reduce((product, means) => product * means[i], Math.exp(log));
  }
  return sum * end;
}

/** What a bin holds of the large cells: of each cell, for each county. */
function binsOf(counted) {
  return new Map([...counted].map(([cell, parts]) => [cell, parts.map((part) => ({ ...part, ...countedBin(part, part.hit) }))]));
}

/** The logarithm of the chance that a bin holds nobody of these. */
function logOf(bins) {
  return bins.reduce((sum, { taken }) => sum + Math.log1p(-Math.min(taken, 1)), 0);
}

/** The chance of one person, or of nobody, in a bin after the pieces of large odds; before them: of nobody, of one. */
function aloneBeside(large, cell, none, one, taken, counted) {
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
  for (const bin of counted ?? []) {
    one = none * bin.hit * bin.first + one * bin.none;
    none *= bin.none;
  }
  return taken ? none : one;
}

/**
 * Records claimed for somebody else, added up: of people who are not listed and whose bin has one entry. By the
 * derivatives of the logarithm of the generating function for each piece: weighted by its chance (hits) and by its
 * people who are not listed (misses), and the second ones by both (bend).
 */
function wrongIn({ all, certain, stale }, log, largeLog, many, counted) {
  const [hits, misses, bend] = [ROOM.take("hits", many), ROOM.take("misses", many), ROOM.take("bend", many)];
  for (const piece of all) {
    const { chance, missed, slope, slopePairs } = piece;
    addTo(hits, piece, chance * slope, chance * slopePairs, many);
    addTo(misses, piece, missed * slope, missed * slopePairs, many, piece.own?.left);
    addTo(bend, piece, chance * missed * piece.bend, chance * missed * piece.bendPairs, many, piece.own?.left);
  }
  let wrong = 0;
  for (let i = 0; i < many; i++) {
    const gone = stale ? stale[i] : 0;
    const sure = certain ? certain[i] : 0;
    let empty = log[i] + (largeLog ? largeLog[i] : 0) - gone;
    for (const { none, first, second, hit, missed: unlisted, own } of counted.get(i) ?? []) {
      const missed = unlisted * (own ? own.left : 1);
      if (!none) {
        empty = -Infinity;
        break;
      }
      empty += Math.log(none);
      hits[i] += (hit * first) / none;
      misses[i] += (missed * first) / none;
      bend[i] += hit * missed * ((first / none) ** 2 - second / none);
    }
    if (empty <= NO_LOG || sure > 1) continue;
    wrong += Math.exp(empty) * (sure ? misses[i] : Math.max(misses[i] * hits[i] - bend[i], 0) + gone * misses[i]);
  }
  return wrong;
}

/** The expected people in bins of at most g, divided by the bins, over the cells of a place. */
function distinctIn(pieces, many, g) {
  const { all, certain, stale, counted } = pieces;
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
    const gone = stale ? stale[i] : 0;
    if (shift > g) continue;
    if (counted.has(i) || gone) {
      if (!counted.has(i) && mean[i] > most) continue;
      const chances = counted.has(i) ? sizesBeside(sums, i, g - shift, counted.get(i)) : sums.chances(i, g - shift).subarray(0, g - shift + 1);
      const upTo = upToStale(gone, g);
      chances.forEach((chance, size) => (distinct += (size + shift) * chance * upTo[g - size - shift]));
      continue;
    }
    const surely = shift + total[i] <= g || mean[i] + shift < least;
    if (surely && !slivers.some(({ n }) => n[i] > 1)) distinct += mean[i] + shift;
    else if (mean[i] <= most) distinct += sums.people(i, g - shift, shift);
  }
  return distinct;
}

/** The chances of 0, 1, ..., most people in a bin, with those of the large cells. */
function sizesBeside(sums, cell, most, parts) {
  let chances = Float64Array.from(sums.chances(cell, most).subarray(0, most + 1));
  for (const part of parts) {
    const more = countedChances(part, part.hit, most);
    chances = chances.map((_, size) => {
      let sum = 0;
      for (let by = 0; by <= size; by++) sum += chances[size - by] * more[by];
      return sum;
    });
  }
  return chances;
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
    const { all, certain, stale, counted } = pieces;
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
      const beside = counted.get(cell);
      if (shift > most || (!beside && mean > highest)) continue;
      const chances = beside ? sizesBeside(sums, cell, most - shift, beside) : sums.chances(cell, Math.min(most - shift, total, largestFor(mean)));
      const end = beside ? most - shift : Math.min(most - shift, total, largestFor(mean));
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
