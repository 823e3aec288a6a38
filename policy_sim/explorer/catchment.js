// A file that comes from some counties: the people of each are in it with a chance of their own (docs/model.md, A file
// that comes from somewhere). A group is made of parts, one for each county of its place.

const ALMOST_SURE = 1 - 1e-15; // a chance, so that what is left of it can be divided by

/** The groups of some counties under a key: the cells of each county, and of which parts of counties each place is made: of each the share of its people, or of those of each class. */
function severalGroups(people, counties, plan, key, { zipParts, composition }, listing) {
  const held = counties.map((county) => new Sums(plan, people, listing).add(county));
  const places = new Map();
  counties.forEach((county, i) => {
    const pieces = plan.classed ? composition.pieces(county, key) : isZip(key) ? piecesOf(zipParts[county], key) : [[key.geography === "county" ? county : "all", 1]];
    for (const [place, share] of pieces) {
      const name = isInCounty(key) ? `${county} ${place}` : place;
      if (!places.has(name)) places.set(name, []);
      places.get(name).push({ i, share });
    }
  });
  return { kind: "several", held, plan, places: [...places.values()] };
}

/** What one county gives a group: trials of a chance y to be in one of its bins, those listed and those missed. */
function countyPart(sums, cell, share, listed, inFile, bins, at) {
  const [people, on] = sums.whoIn(cell, listed);
  if (!people || !inFile) return null;
  const chance = !on ? 0 : sums.listing ? Math.min(sums.entries[1][cell] / on, 1) : listed;
  const trials = sums.listing && on ? Math.min(on / chance, people) : people;
  const scale = (share * inFile) / bins;
  const [released, left] = sums.plan.released ? sums.sharesOf(cell) : [1, 1];
  const missed = Math.max(people - on, 0);
  return {
    at, trials, released, y: Math.min(chance * scale, ALMOST_SURE), hit: on * share * inFile,
    missed: left * missed * share * inFile, own: missed > 1e-12 ? Math.min(((on * (1 - chance)) / missed) * scale, ALMOST_SURE) : 0,
  };
}

/** How likely a bin holds 0, 1, ..., g of some parts. */
function chancesOfParts(parts, g) {
  let sums = Float64Array.of(1);
  for (const { trials, y } of parts) {
    if (!y) continue;
    const own = new Float64Array(Math.min(g, Math.ceil(trials)) + 1);
    binomialChances(own, y > NEARLY_CERTAIN ? Math.round(trials) : trials, y, own.length - 1);
    const next = new Float64Array(Math.min(g, sums.length + own.length - 2) + 1);
    for (let i = 0; i < sums.length; i++) for (let j = 0; j < own.length && i + j < next.length; j++) next[i + j] += sums[i] * own[j];
    sums = next;
  }
  return sums;
}

/** Add to the figures of each county what a group of parts reveals. */
function addParts(figures, bins, parts, g) {
  let [log, others, hits] = [0, 0, 0];
  for (const { trials, y, hit } of parts) {
    log += trials * Math.log1p(-y);
    others += (trials * y) / (1 - y);
    hits += hit;
  }
  const none = Math.exp(log);
  const right = hits ? Math.min((-bins * Math.expm1(log)) / hits, 1) : 0; // a guess about one of those who are listed
  let few = 0;
  if (g > 1 && hits) chancesOfParts(parts, g).forEach((chance, size) => (few += (bins * size * chance) / hits));
  for (const { at, y, hit, missed, own, released } of parts) {
    const sums = figures[at];
    const alone = (none * hit * released) / (1 - y);
    const wrong = ((missed * none) / (1 - own)) * Math.max(others - own / (1 - own), 0);
    sums.risk += right * hit * released;
    sums.alone += alone;
    sums.distinct += g > 1 ? Math.min(few, 1) * hit * released : alone;
    sums.claims += alone + wrong;
    sums.correct += alone;
  }
}

const NOTHING = { risk: 0, alone: 0, distinct: 0, claims: 0, correct: 0 };

/** Each group of some places: its bins and its parts. */
function* groupsOfParts({ held, plan, places }, listed, inFile) {
  const { bins, first = null, kind } = plan.classed ?? plan;
  for (const place of places) {
    for (let cell = 0; cell < bins.length; cell++) {
      const parts = [];
      for (const { i, share } of place) {
        for (let at = first ? first[cell] : cell, end = first ? first[cell + 1] : cell + 1; at < end; at++) {
          const part = countyPart(held[i], at, kind ? share[kind[at]] : share, listed, inFile[i], bins[cell], i);
          if (part) parts.push(part);
        }
      }
      if (parts.length) yield [bins[cell], parts];
    }
  }
}

/** As measured, of each county by itself; inFile has the chance of each. */
function measuredParts(groups, listed, inFile, g) {
  const figures = groups.held.map(() => ({ ...NOTHING }));
  for (const [bins, parts] of groupsOfParts(groups, listed, inFile)) addParts(figures, bins, parts, g);
  return figures;
}

function measuredSeveral(groups, listed, inFile, g) {
  const sums = { ...NOTHING };
  for (const each of measuredParts(groups, listed, inFile, g)) for (const name in sums) sums[name] += each[name];
  return sums;
}

/** As sizesOf: the steps of the curve. */
function sizesOfSeveral(groups, listed, inFile, most) {
  const sizes = new Float64Array(most + 1);
  for (const [bins, parts] of groupsOfParts(groups, listed, inFile)) {
    const [hits, released] = parts.reduce(([all, own], part) => [all + part.hit, own + part.hit * part.released], [0, 0]);
    if (hits) chancesOfParts(parts, most).forEach((chance, size) => (sizes[size] += (bins * size * chance * released) / hits));
  }
  return sizes;
}
