// Which people share what a key with a ZIP code shows: parts of counties, and places put together of several parts.

/** The parts of each county by ZIP code area: { zip, row of the code, share, and a number for its area of each kind } in order of the code. */
function zipPartsOf(bytes, counties, areas, kinds) {
  const numbers = new Varints(bytes);
  const rows = new Int32Array(CODES).fill(-1);
  const parts = Array.from({ length: counties }, () => {
    let code = 0;
    let whole = 0;
    const parts = Array.from({ length: numbers.next() }, () => {
      code += numbers.next();
      rows[code] = 0;
      const people = numbers.next();
      whole += people;
      return { code, people };
    });
    return { parts, whole };
  });
  let many = 0;
  for (let code = 0; code < CODES; code++) if (rows[code] === 0) rows[code] = many++;
  const steps = new Varints(areas);
  const ofKinds = kinds.map(() => {
    let number = 0;
    return Int32Array.from({ length: many }, () => (number += steps.signed()));
  });
  return parts.map(({ parts: own, whole }) => own.map(({ code, people }) => {
    const part = { zip: String(code).padStart(5, "0"), row: rows[code], share: people / whole };
    kinds.forEach((kind, i) => (part[kind] = ofKinds[i][part.row]));
    return part;
  }));
}
const CODES = 100_000; // of five digits

/** The pieces of a county: parts that show the same place are one piece, small places share one. */
function piecesOf(parts, key) {
  const shares = new Map();
  for (const part of parts) {
    const place = placeOf(part, key);
    shares.set(place, (shares.get(place) ?? 0) + part.share);
  }
  return [...shares].map(([place, share]) => [place, Math.min(share, 1)]);
}

/** What a key shows of a part. */
function placeOf({ zip, ...areas }, { geography, small }) {
  const zip3 = zip.slice(0, 3);
  return small?.hidden.has(zip3) ? "000" : geography.endsWith("zip3") ? zip3 : areas[geography] ?? zip;
}

/** Whether each place of a key lies in one county. */
function isInCounty({ geography }) {
  return ["county_zip3", "county_zip5"].includes(geography);
}

/** The groups of a set of counties by what a key shows of people and ZIP code. */
function zipGroups(people, counties, plan, key, zipParts, listing) {
  const held = counties.flatMap((county) => {
    const sums = new Sums(plan, people, listing).add(county);
    const { people: n, entries: [on] } = sums;
    const own = plan.released ? ownOf(sums) : null;
    const groups = { county, n: Int32Array.from(n), on, own, gone: listing ? listing.stale(county) : 0, pieces: piecesOf(zipParts[county], key) };
    return plan.released ? [groups] : countedParts(groups, people.residents(county));
  });
  if (isInCounty(key)) {
    const alike = new Alike(plan);
    return {
      kind: "parts",
      counties: held.map(({ pieces, ...county }) => ({ ...county, plan, shares: pieces.map(([, share]) => share).sort((x, y) => y - x), alike: listing ? null : alike.of(county).map((kind) => new AlikeCells(kind)) })),
    };
  }
  const places = new Map();
  held.forEach(({ pieces, ...county }) => pieces.forEach(([place, share]) => {
    if (!places.has(place)) places.set(place, []);
    places.get(place).push({ ...county, share });
  }));
  const some = plan.released ? plan.bins.map((_, cell) => held.some(({ own }) => own.listed[cell] || own.left[cell])) : null;
  const groups = listing ? listedPlaces([...places.values()], plan, listing, some) : placedGroups([...places.values()], plan, some);
  return plan.released ? { ...groups, released: true } : groups;
}

/** A county; where one cell is everyone, which shows the place alone, each of its parts, whose people are counted. */
function countedParts(groups, residents) {
  const cell = groups.n.indexOf(residents);
  if (cell < 0 || !residents) return [groups];
  const counted = shareOut(residents, groups.pieces.map(([, share]) => share));
  return groups.pieces.map(([place], i) => {
    const n = new Int32Array(groups.n.length);
    n[cell] = counted[i];
    return { ...groups, n, on: groups.on && groups.on.map((on) => (on * counted[i]) / residents), pieces: [[place, 1]] };
  });
}

/** Share out some people by weights: whole numbers that add up, by largest remainder. */
function shareOut(people, weights) {
  const sum = weights.reduce((whole, weight) => whole + weight, 0);
  const exact = weights.map((weight) => people * (weight / sum));
  const shares = exact.map(Math.floor);
  const left = people - shares.reduce((whole, share) => whole + share, 0);
  exact.map((value, i) => [shares[i] - value, i]).sort((x, y) => x[0] - y[0]).slice(0, left).forEach(([, i]) => shares[i]++);
  return shares;
}

/** Of each cell of a county the released part: of those who are listed, and of those who are not. */
function ownOf(sums) {
  const [listed, left] = [0, 1].map(() => new Float64Array(sums.plan.size));
  for (let i = 0; i < listed.length; i++) if (sums.own[0][i]) [listed[i], left[i]] = sums.sharesOf(i);
  return { listed, left };
}

/** The cells of a county that are alike; on a list there are many kinds, made when they are needed. */
function alikeIn({ alike, n, on, own, gone, plan }, inFile) {
  if (alike) return alike;
  const kinds = { all: new Map(), listed: new Map(), left: new Map() };
  const add = (cell, of, share) => {
    if (!share) return;
    const [people, bins] = [n[cell], plan.bins[cell]];
    const chance = on[cell] / people;
    const name = Math.round(chance * ALIKE) + bins * 2 * ALIKE; // the last digits of a quotient differ
    if (!kinds[of].has(name)) kinds[of].set(name, { bins, chance, of, times: new Map() });
    const { times } = kinds[of].get(name);
    times.set(people, (times.get(people) ?? 0) + share);
  };
  for (let cell = 0; cell < n.length; cell++) {
    if (!n[cell] || !on[cell]) continue;
    const [listed, left] = own ? [own.listed[cell], own.left[cell]] : [1, 1];
    if (Math.abs(listed - left) < SAME_SHARE) add(cell, "all", listed);
    else ["listed", "left"].forEach((of, i) => add(cell, of, [listed, left][i])); // people of several years of age
  }
  return Object.values(kinds).flatMap((alikes) => [...alikes.values()]).map(({ times, ...kind }) => {
    const sorted = [...times].sort((x, y) => x[0] - y[0]);
    const [people, w] = [0, 1].map((at) => Float64Array.from(sorted, (pair) => pair[at]));
    return new AlikeCells({ ...kind, n: people, w, gone: inFile === null ? gone : 0 });
  });
}
const ALIKE = 1e11;
const SAME_SHARE = 1e-12;

/**
 * Places put together of several counties. Counties that lie in one place with all their people are added up first;
 * places made of nothing else are groups like any other.
 */
function placedGroups(places, plan, some) {
  const kinds = cellsBy(plan, () => "", some);
  const whole = new Collected();
  const mixed = [];
  for (const place of places) {
    const sums = new Float64Array(plan.size);
    const parts = [];
    for (const each of place) {
      if (each.share < 1 || plan.released) parts.push(each); // who is released differs by county
      else for (let i = 0; i < sums.length; i++) sums[i] += each.n[i];
    }
    if (parts.length) mixed.push(...kinds.map((kind) => mixedCells(kind, parts.length < place.length ? sums : null, parts)).filter(({ many }) => many));
    else for (let i = 0; i < sums.length; i++) if (sums[i]) whole.add(sums[i], plan.bins[i]);
  }
  return { kind: "placed", whole: whole.groups(), mixed };
}

/** The same on a list that holds people of each county and age with a chance of their own: made when they are needed. */
function listedPlaces(places, plan, listing, some) {
  const kinds = cellsBy(plan, classesOf(plan, listing), some);
  const mixed = {
    *[Symbol.iterator]() {
      for (const place of places) {
        for (const kind of kinds) {
          const cells = mixedCells(kind, null, place);
          if (cells.many) yield cells;
        }
      }
    },
  };
  return { kind: "placed", whole: new Collected().groups(), mixed };
}

/** The cells of a plan, or some of them alone, by their bins, and by what else they have. */
function cellsBy(plan, nameOf, some) {
  const kinds = new Map();
  plan.bins.forEach((bins, cell) => {
    if (some && !some[cell]) return;
    const name = `${bins} ${nameOf(cell)}`;
    if (!kinds.has(name)) kinds.set(name, { bins, cells: [] });
    kinds.get(name).cells.push(cell);
  });
  return [...kinds.values()].map(({ bins, cells }) => ({ bins, cells: Int32Array.from(cells) }));
}

/** Of each cell the one class of ages whose people are in it; cells of several classes stand by themselves. */
function classesOf({ runs, size }, { ages, starts, classOf }) {
  const found = new Array(size).fill(null);
  const ofAges = ages.map(([age, width]) => [age, age + Math.max(width, 1) - 1].map((year) => classOf.call({ starts }, year))).map(([first, last]) => (first === last ? first : -2));
  for (const [start, end, to, step] of runs) {
    for (let i = start; i < end; i++) {
      const group = to + step * (i - start);
      const own = ofAges[i % ages.length];
      found[group] = own === -2 || (found[group] !== null && found[group] !== own) ? -2 : own;
    }
  }
  return (cell) => (found[cell] === -2 ? `cell ${cell}` : found[cell]);
}

/** The cells of a place that are not empty: people of its whole counties, and of each county of which it has a part. */
function mixedCells({ bins, cells }, sums, parts) {
  const all = sums ? [sums, ...parts.map((part) => part.n)] : parts.map((part) => part.n);
  const held = new Int32Array(cells.length);
  let many = 0;
  for (const cell of cells) {
    let i = 0;
    while (i < all.length && !all[i][cell]) i++;
    if (i < all.length) held[many++] = cell;
  }
  const of = (from, into = new Int32Array(many)) => {
    for (let i = 0; i < many; i++) into[i] = from[held[i]];
    return into;
  };
  const pieces = parts.map(({ share: p, n: from, on, own: whose, gone }) => {
    const n = of(from);
    const own = whose && { listed: of(whose.listed, new Float64Array(many)), left: of(whose.left, new Float64Array(many)) };
    const some = on ? n.findIndex((people) => people) : -1;
    const chance = on ? (some < 0 ? 0 : on[held[some]] / n[some]) : null; // of all these cells
    return { p, n, chance, gone, own };
  });
  return { bins, many, full: sums ? of(sums) : null, pieces };
}

const MOST_COUNTED = 4096; // people of a cell: larger ones are sorted

/** Finds the cells of a county that are alike: { bins, n, w } each, sorted by people. */
class Alike {
  constructor(plan) {
    this.kinds = cellsBy(plan, () => "");
    this.times = new Float64Array(MOST_COUNTED);
  }

  of({ n, own }) {
    return this.kinds.map(({ bins, cells }) => ({ bins, ...this.counted(n, own, cells) })).filter(({ n: some }) => some.length);
  }

  counted(sums, own, cells) {
    const { times } = this;
    const large = [];
    let [most, many] = [0, 0];
    for (let i = 0; i < cells.length; i++) {
      const people = sums[cells[i]];
      const share = own ? own.listed[cells[i]] : 1;
      if (!people || !share) continue;
      if (people >= MOST_COUNTED) large.push([people, share]);
      else {
        if (people > most) most = people;
        if (!times[people]) many++;
        times[people] += share;
      }
    }
    const n = new Float64Array(many + large.length);
    const w = new Float64Array(many + large.length);
    for (let people = 1, i = 0; people <= most; people++) {
      if (!times[people]) continue;
      n[i] = people;
      w[i++] = times[people];
      times[people] = 0;
    }
    large.sort((x, y) => x[0] - y[0]); // large cells that are alike stand beside each other
    large.forEach((cell, i) => ([n[many + i], w[many + i]] = cell));
    return { n, w };
  }
}
