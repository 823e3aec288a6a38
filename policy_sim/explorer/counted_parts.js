// A cell of more than a tenth of its county, in a part of which the people are counted: policy_sim/formulas/county_parts.py.
//
// Of the n people of the cell, m live in a part of R of the county's M people: the hypergeometric distribution. Every
// figure of the part is the mean, over m, of the figure of a group of m people.

const SMALL_CELL = 0.1; // of the county: up to here one term of the hypergeometric is enough
const SURELY_TAKEN = 60; // people in a bin on average: it is never empty
const LEFT_OUT = 46; // exp(-46) = 1e-20 of the chances of m
const MANY_COUNTED = 1000; // people of the cell in the part: the fourth cumulant of their number adds less than 1e-9
const A_PERSON = 1e-6; // a share is a quotient of whole numbers: its last digits make no fraction of a person

/** The people of a part, and with what chance: where they are not whole, the number below or above. */
function wholesOf({ residents, p }) {
  const counted = p * residents;
  const lower = Math.floor(counted + A_PERSON);
  const more = counted - lower > A_PERSON ? counted - lower : 0;
  return more ? [[lower, 1 - more], [lower + 1, more]] : [[lower, 1]];
}

/** Call use(chance, m) for every m that may be. */
function eachCount(cell, use) {
  for (const [counted, weight] of wholesOf(cell)) eachOfWhole(cell.people, cell.residents, counted, weight, use);
}

function eachOfWhole(people, residents, counted, weight, use) {
  const mean = (people * counted) / residents;
  const spread = (mean * (1 - counted / residents) * (residents - people)) / Math.max(residents - 1, 1);
  const half = LEFT_OUT / 3 + Math.sqrt((LEFT_OUT / 3) ** 2 + 2 * LEFT_OUT * Math.max(spread, 0));
  const low = Math.max(Math.floor(mean - half), people + counted - residents, 0);
  const high = Math.min(Math.ceil(mean + half), people, counted);
  const middle = Math.min(Math.max(Math.round(mean), low), high);
  const chances = new Float64Array(high - low + 1);
  chances[middle - low] = 1;
  let whole = 1;
  for (let m = middle; m < high; m++) whole += chances[m + 1 - low] = chances[m - low] * (((people - m) * (counted - m)) / ((m + 1) * (residents - people - counted + m + 1)));
  for (let m = middle; m > low; m--) whole += chances[m - 1 - low] = chances[m - low] * ((m * (residents - people - counted + m)) / ((people - m + 1) * (counted - m + 1)));
  for (let m = low; m <= high; m++) use((weight * chances[m - low]) / whole, m);
}

/**
 * What a bin of the part holds of the cell, where each of the m is in it with chance hit: nobody (none, the mean of s^m
 * with s = 1 - hit), and the derivatives of that mean in s. One person has the chance hit first. A guess among the
 * entries of the bin is right with chance taken: without stale records, where somebody is in it.
 */
function countedBin(cell, hit, stale = 0) {
  const bin = { taken: 0, none: 0, first: 0, second: 0 };
  if (cell.people * cell.p * hit > SURELY_TAKEN) return { ...bin, taken: stale ? 1 - stale * countedMean(cell, hit, stale) : 1 };
  const log = Math.log1p(-Math.min(hit, 1));
  const s = 1 - hit;
  eachCount(cell, (chance, m) => {
    bin.taken -= m ? chance * Math.expm1(m * log) : 0;
    bin.none += m ? chance * s ** m : chance;
    if (m > 0) bin.first += chance * m * (m > 1 ? s ** (m - 1) : 1);
    if (m > 1) bin.second += chance * m * (m - 1) * (m > 2 ? s ** (m - 2) : 1);
  });
  if (stale) bin.taken = 1 - bin.none * Math.exp(-stale) - stale * countedMean(cell, hit, stale);
  return bin;
}

/** The integral from 0 to 1 of the mean of (1 - hit u)^m exp(-stale u). */
function countedMean(cell, hit, stale) {
  const rate = cell.people * cell.p * hit + stale;
  const { at, weight } = nodesFor(rate);
  const end = Math.min(1, FAR / rate);
  const u = at.map((place) => end * place);
  return countedMeans(cell, hit, u).reduce((sum, mean, i) => sum + weight[i] * mean * Math.exp(-stale * u[i]), 0) * end;
}

/** The means of (1 - hit u)^m for some u. Of many people the first three cumulants of m are enough. */
function countedMeans(cell, hit, u) {
  const { people, residents, p } = cell;
  const means = new Float64Array(u.length);
  if (people * p >= MANY_COUNTED) {
    for (const [counted, weight] of wholesOf(cell)) {
      const mean = (people * counted) / residents;
      const spread = (mean * (1 - counted / residents) * (residents - people)) / (residents - 1);
      const skewed = (spread * (1 - (2 * counted) / residents) * (residents - 2 * people)) / (residents - 2);
      for (let i = 0; i < u.length; i++) {
        const log = Math.log1p(-hit * u[i]);
        means[i] += weight * Math.exp(log * (mean + log * (spread / 2 + (log * skewed) / 6)));
      }
    }
    return means;
  }
  const power = new Float64Array(u.length);
  let last = -2;
  eachCount(cell, (chance, m) => {
    for (let i = 0; i < u.length; i++) means[i] += chance * (power[i] = m === last + 1 ? power[i] * (1 - hit * u[i]) : (1 - hit * u[i]) ** m);
    last = m;
  });
  return means;
}

/** The chances of 0, 1, ..., most of the cell's people in a bin. */
function countedChances(cell, hit, most) {
  const chances = new Float64Array(most + 1);
  const one = new Float64Array(most + 1);
  if (cell.people * cell.p * hit > Math.max(SURELY_TAKEN, openFor(most)[1])) return chances;
  eachCount(cell, (chance, m) => {
    if (hit >= 1) {
      if (m <= most) chances[m] += chance;
      return;
    }
    const end = Math.min(m, most);
    binomialChances(one, m, hit, end);
    for (let size = 0; size <= end; size++) chances[size] += chance * one[size];
  });
  return chances;
}
