// Which people share what a key with a ZIP code shows: parts of counties, and places put together of several parts.

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
    const place = hidden?.has(zip3) ? "000" : key.geography.endsWith("zip3") ? zip3 : zip;
    shares.set(place, (shares.get(place) ?? 0) + share);
  }
  return [...shares].map(([place, share]) => [place, Math.min(share, 1)]);
}

/** Whether each place of a key lies in one county. */
function isInCounty({ geography }) {
  return ["county_zip3", "county_zip5"].includes(geography);
}

/** The groups of a set of counties by what a key shows of people and ZIP code. */
function zipGroups(people, counties, plan, key, zipParts, listing) {
  const held = counties.map((county) => {
    const { people: n, entries: [on] } = new Sums(plan, people, listing).add(county);
    return { n: Int32Array.from(n), on, gone: listing ? listing.stale(county) : 0, residents: people.residents(county), pieces: piecesOf(zipParts[county], key) };
  });
  if (isInCounty(key)) {
    const alike = new Alike(plan);
    return {
      kind: "parts",
      counties: held.map(({ pieces, ...county }) => ({ ...county, plan, shares: pieces.map(([, share]) => share).sort((x, y) => y - x), alike: listing ? null : alike.of(county.n).map((kind) => new AlikeCells(kind, county.residents)) })),
    };
  }
  const places = new Map();
  held.forEach(({ pieces, ...county }) => pieces.forEach(([place, share]) => {
    if (!places.has(place)) places.set(place, []);
    places.get(place).push({ ...county, share });
  }));
  return listing ? listedPlaces([...places.values()], plan, listing) : placedGroups([...places.values()], plan);
}

/** The cells of a county that are alike; on a list there are many kinds, made when they are needed. */
function alikeIn({ alike, n, on, gone, residents, plan }, inFile) {
  if (alike) return alike;
  const kinds = new Map();
  for (let cell = 0; cell < n.length; cell++) {
    const people = n[cell];
    if (!people || !on[cell]) continue;
    const chance = on[cell] / people;
    const name = Math.round(chance * ALIKE) + plan.bins[cell] * 2 * ALIKE; // the last digits of a quotient differ
    if (!kinds.has(name)) kinds.set(name, { bins: plan.bins[cell], chance, times: new Map() });
    const { times } = kinds.get(name);
    times.set(people, (times.get(people) ?? 0) + 1);
  }
  return [...kinds.values()].map(({ bins, chance, times }) => {
    const sorted = [...times].sort((x, y) => x[0] - y[0]);
    const [of, w] = [0, 1].map((at) => Float64Array.from(sorted, (pair) => pair[at]));
    return new AlikeCells({ bins, n: of, w, chance, gone: inFile === null ? gone : 0 }, residents);
  });
}
const ALIKE = 1e11;

/**
 * Places put together of several counties. Counties that lie in one place with all their people are added up first;
 * places made of nothing else are groups like any other.
 */
function placedGroups(places, plan) {
  const kinds = cellsBy(plan, () => "");
  const whole = new Collected();
  const mixed = [];
  for (const place of places) {
    const sums = new Float64Array(plan.size);
    const parts = [];
    for (const each of place) {
      if (each.share < 1) parts.push(each);
      else for (let i = 0; i < sums.length; i++) sums[i] += each.n[i];
    }
    if (parts.length) mixed.push(...kinds.map((kind) => mixedCells(kind, parts.length < place.length ? sums : null, parts)).filter(({ many }) => many));
    else for (let i = 0; i < sums.length; i++) if (sums[i]) whole.add(sums[i], plan.bins[i]);
  }
  return { kind: "placed", whole: whole.groups(), mixed };
}

/** The same on a list that holds people of each county and age with a chance of their own: made when they are needed. */
function listedPlaces(places, plan, listing) {
  const kinds = cellsBy(plan, classesOf(plan, listing));
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

/** The cells of a plan by their bins, and by what else they have. */
function cellsBy(plan, nameOf) {
  const kinds = new Map();
  plan.bins.forEach((bins, cell) => {
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
  const of = (from) => {
    const people = new Int32Array(many);
    for (let i = 0; i < many; i++) people[i] = from[held[i]];
    return people;
  };
  const counted = new Map(); // of each cell, the people who are a large part of a county
  const pieces = parts.map(({ share: p, residents, n: from, on, gone }) => {
    const n = of(from);
    const some = on ? n.findIndex((people) => people) : -1;
    const chance = on ? (some < 0 ? 0 : on[held[some]] / n[some]) : null; // of all these cells
    for (let i = 0; p < 1 && i < many; i++) {
      if (n[i] <= SMALL_CELL * residents) continue;
      if (!counted.has(i)) counted.set(i, []);
      counted.get(i).push({ people: n[i], residents, p, chance, gone });
      n[i] = 0;
    }
    return { p, residents, n, chance, gone };
  });
  return { bins, many, full: sums ? of(sums) : null, pieces, counted };
}

const MOST_COUNTED = 4096; // people of a cell: larger ones are sorted

/** Finds the cells of a county that are alike: { bins, n, w } each, sorted by people. */
class Alike {
  constructor(plan) {
    this.kinds = cellsBy(plan, () => "");
    this.times = new Int32Array(MOST_COUNTED);
  }

  of(sums) {
    return this.kinds.map(({ bins, cells }) => ({ bins, ...this.counted(sums, cells) })).filter(({ n }) => n.length);
  }

  counted(sums, cells) {
    const { times } = this;
    const large = [];
    let [most, many] = [0, 0];
    for (let i = 0; i < cells.length; i++) {
      const people = sums[cells[i]];
      if (people >= MOST_COUNTED) large.push(people);
      else if (people) {
        if (people > most) most = people;
        if (!times[people]++) many++;
      }
    }
    const n = new Float64Array(many + large.length);
    const w = new Float64Array(many + large.length).fill(1);
    for (let people = 1, i = 0; people <= most; people++) {
      if (!times[people]) continue;
      n[i] = people;
      w[i++] = times[people];
      times[people] = 0;
    }
    n.set(large.sort((x, y) => x - y), many); // large cells that are alike stand beside each other
    return { n, w };
  }
}
