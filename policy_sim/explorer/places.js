// Places put together of parts of several counties: policy_sim/formulas/parts.py and binomial_sums.py.
//
// A bin of a place holds a sum of binomials, one for each county. Counties that lie in the place with all their people
// are one binomial. What a piece adds to a cell is a number of the piece times its people, and another times the pairs
// of them: one pass over the cells of a place for each piece.

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
    x, rare, sliver: p * residents < SLIVER || residents < SMALL_COUNTY, most: p < 1 ? Infinity : -1, odds: x / hit, log: Math.log1p(-x), lost: rare / hit ** 2,
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

/** What places reveal, place by place; with g = 1 the groups of g or fewer are those alone. */
function* measuringPlaces(groups, listed, inFile, g) {
  const held = inFile ?? 1;
  const sum = { risk: 0, alone: 0, distinct: 0, wrong: 0 };
  const ahead = isAhead(groups, listed, inFile) && g < groups.ahead.upTo.length ? groups.ahead.upTo[g] : null;
  for (const place of groups.mixed) {
    addPlace(sum, place, listed * held, ahead === null ? g : 1, listed < 1);
    yield;
  }
  const whole = measured(groups.whole, listed, inFile, g);
  const alone = sum.alone + whole.alone;
  const wrong = listed < 1 ? sum.wrong * held * (1 - listed) + whole.claims - whole.alone : 0;
  return { risk: sum.risk + whole.risk, alone, distinct: g > 1 ? ahead ?? sum.distinct + whole.distinct : alone, claims: alone + wrong, correct: alone };
}

function addPlace(sum, place, c, g, wantWrong) {
  const { bins, many } = place;
  const { all, certain } = piecesAt(place, c);
  const counted = binsOf(place.counted, c / bins);
  const [log, first] = [ROOM.take("log", many), ROOM.take("first", many)];
  for (const piece of all) if (piece.odds <= 1) addOdds(log, first, piece, many);
  const large = all.filter(({ odds }) => odds > 1);
  const rest = large.length ? ROOM.take("large", many) : null;
  for (const piece of large) addTo(rest, piece, piece.log, -piece.lost, many);
  let [risk, alone] = [0, 0];
  for (let i = 0; i < many; i++) {
    const own = counted.get(i);
    const others = rest ? log[i] + rest[i] : log[i];
    const empty = others + (own ? logOf(own) : 0);
    risk += (certain !== null && certain[i]) || empty < NO_LOG ? 1 : -Math.expm1(empty);
    if (others < NO_LOG || (certain !== null && certain[i] > 1)) continue; // of counted people, one may be sure
    const none = Math.exp(log[i]);
    const one = Math.max(none * first[i], 0);
    const taken = certain !== null && certain[i] === 1;
    alone += rest || own ? aloneBeside(large, i, none, one, taken, own) : taken ? none : one;
  }
  sum.risk += bins * risk;
  sum.alone += bins * alone;
  if (wantWrong) sum.wrong += (c / bins) * wrongIn(all, log, rest, certain, many, counted);
  if (g > 1) sum.distinct += bins * distinctIn({ all, certain, many, counted: place.counted, hit: c / bins }, g);
}

/** What a bin holds of the large cells: of each cell, for each county. */
function binsOf(counted, hit) {
  return new Map([...counted].map(([cell, parts]) => [cell, parts.map((part) => ({ hit, ...countedBin(part, hit) }))]));
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

/** The second derivative of the generating function of a bin where it counts for wrong claims, added up. */
function wrongIn(all, log, largeLog, certain, many, counted) {
  const [slope, bend] = [ROOM.take("slope", many), ROOM.take("bend", many)];
  for (const piece of all) {
    addTo(slope, piece, piece.slope, piece.slopePairs, many);
    addTo(bend, piece, piece.bend, piece.bendPairs, many);
  }
  let wrong = 0;
  for (let i = 0; i < many; i++) {
    let empty = log[i] + (largeLog ? largeLog[i] : 0);
    for (const { none, first, second } of counted.get(i) ?? []) {
      if (!none) {
        empty = -Infinity;
        break;
      }
      empty += Math.log(none);
      slope[i] += first / none;
      bend[i] += (first / none) ** 2 - second / none;
    }
    if (empty > NO_LOG && !certain?.[i]) wrong += Math.exp(empty) * Math.max(slope[i] * slope[i] - bend[i], 0);
  }
  return wrong;
}

/** The expected people in bins of at most g, divided by the bins, over the cells of a place. */
function distinctIn({ all, certain, many, counted, hit }, g) {
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
    if (counted.has(i)) {
      sizesBeside(sums, i, g - shift, counted.get(i), hit).forEach((chance, size) => (distinct += (size + shift) * chance));
      continue;
    }
    const surely = shift + total[i] <= g || mean[i] + shift < least;
    if (surely && !slivers.some(({ n }) => n[i] > 1)) distinct += mean[i] + shift;
    else if (mean[i] <= most) distinct += sums.people(i, g - shift, shift);
  }
  return distinct;
}

/** The chances of 0, 1, ..., most people in a bin, with those of the large cells. */
function sizesBeside(sums, cell, most, parts, hit) {
  let chances = Float64Array.from(sums.chances(cell, most).subarray(0, most + 1));
  for (const part of parts) {
    const more = countedChances(part, hit, most);
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
  for (const place of groups.mixed) {
    const pieces = piecesAt(place, listed * (inFile ?? 1));
    const sums = new SumsOfPieces(pieces.all, most);
    const [, highest] = openFor(most);
    for (let cell = 0; cell < place.many; cell++) {
      const shift = pieces.certain ? pieces.certain[cell] : 0;
      if (shift <= most && place.counted.has(cell)) {
        const hit = (listed * (inFile ?? 1)) / place.bins;
        sizesBeside(sums, cell, most - shift, place.counted.get(cell), hit).forEach((chance, size) => (sizes[size + shift] += place.bins * (size + shift) * chance));
        continue;
      }
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
    yield;
  }
  return sizes;
}
