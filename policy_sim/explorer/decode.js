// From the text in the page to arrays: page.py is the writer.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";

/** Bytes in base 85: of each five characters four, of fewer at the end one less than characters. */
function bytesOf(id) {
  const text = document.getElementById(id).textContent.trim();
  const values = new Uint8Array(128);
  [...DIGITS].forEach((digit, value) => (values[digit.charCodeAt(0)] = value));
  const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
  for (let from = 0, to = 0; from < text.length; from += 5) {
    let word = 0;
    for (let i = from; i < from + 5; i++) word = word * 85 + (i < text.length ? values[text.charCodeAt(i)] : 84);
    for (let shift = 24; shift >= 0 && to < bytes.length; shift -= 8) bytes[to++] = word >>> shift;
  }
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function shortsOf(bytes) {
  const shorts = new Uint16Array(bytes.length / 2);
  for (let i = 0; i < shorts.length; i++) shorts[i] = bytes[2 * i] | (bytes[2 * i + 1] << 8);
  return shorts;
}

/** Read numbers of seven bits to a byte, one after the other. */
class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  next() {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  signed() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

/** Counties of people, each read when it is first needed: sex by sex, race by race, age by age. */
class People {
  constructor(chances, lengths, bytes, shape) {
    [this.counties, this.sexes, this.races, this.ages] = shape;
    this.size = this.sexes * this.races * this.ages;
    this.frequency = chances;
    this.bytes = bytes;
    this.offset = new Int32Array(this.counties + 1);
    for (let i = 0; i < this.counties; i++) this.offset[i + 1] = this.offset[i] + lengths[i];
    const contexts = chances.length / 256;
    this.start = new Uint16Array(chances.length);
    this.symbol = new Uint8Array(contexts * 4096);
    for (let context = 0; context < contexts; context++) {
      let sum = 0;
      for (let symbol = 0; symbol < 256; symbol++) {
        const place = context * 256 + symbol;
        this.start[place] = sum;
        this.symbol.fill(symbol, context * 4096 + sum, context * 4096 + sum + chances[place]);
        sum += chances[place];
      }
    }
    this.table = new Uint16Array(this.counties * this.size);
    this.read = new Uint8Array(this.counties);
    this.sums = new Map();
  }

  /** How many people live in a county. */
  residents(index) {
    if (!this.sums.has(index)) {
      let sum = 0;
      for (const people of this.county(index)) sum += people;
      this.sums.set(index, sum);
    }
    return this.sums.get(index);
  }

  /** The counts of one county, a view of shape sexes × races × ages. */
  county(index) {
    const first = index * this.size;
    if (!this.read[index]) {
      this.decode(index, first);
      this.read[index] = 1;
    }
    return this.table.subarray(first, first + this.size);
  }

  decode(index, first) {
    const { bytes, frequency, start, symbol, table, ages } = this;
    const half = this.races * ages;
    let at = this.offset[index];
    let state = ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
    at += 4;
    for (let cell = 0; cell < this.size; cell++) {
      const place = first + cell;
      const age = cell % ages;
      const one = age > 0 ? table[place - 1] : 0;
      const two = age > 1 ? table[place - 2] : 0;
      const three = age > 2 ? table[place - 3] : 0;
      let eighths = 2 * one + two + three;
      eighths = cell < half ? 2 * eighths : eighths + 4 * table[place - half];
      let context = eighths;
      if (eighths >= 16) {
        const power = 31 - Math.clz32(eighths);
        context = 16 + (power - 4) * 4 + ((eighths >> (power - 2)) & 3);
      }
      let slot = state & 4095;
      let number = symbol[context * 4096 + slot];
      const entry = context * 256 + number;
      state = frequency[entry] * (state >>> 12) + slot - start[entry];
      while (state < 8388608) state = (state * 256 + bytes[at++]) >>> 0;
      if (number === 255) {
        number = 0;
        for (let i = 0; i < 2; i++) {
          slot = state & 4095;
          number = number * 256 + (slot >> 4);
          state = 16 * (state >>> 12) + (slot & 15);
          while (state < 8388608) state = (state * 256 + bytes[at++]) >>> 0;
        }
      }
      table[place] = ((eighths + 4) >> 3) + (number & 1 ? -((number + 1) >> 1) : number >> 1);
    }
  }
}

/** People divided by ethnicity: sex by sex, race by race, Hispanic or not, age by age. */
class PeopleByEthnicity {
  constructor(people, hispanics) {
    Object.assign(this, { people, hispanics, cells: new Uint16Array(2 * people.size) });
  }

  residents(index) {
    return this.people.residents(index);
  }

  /** The counts of one county, until those of another are asked for. */
  county(index) {
    const { cells, people: { ages } } = this;
    const [all, hispanics] = [this.people.county(index), this.hispanics.county(index)];
    for (let cell = 0; cell < all.length; cell++) {
      const to = cell + cell - (cell % ages);
      cells[to] = hispanics[cell];
      cells[to + ages] = all[cell] - hispanics[cell];
    }
    return cells;
  }
}

/** Outlines on a grid: for each shape its rings, each a list of x, y, x, y. */
function shapesOf(bytes, many) {
  const numbers = new Varints(bytes);
  return Array.from({ length: many }, () => {
    let x = 0;
    let y = 0;
    return Array.from({ length: numbers.next() }, () => {
      const ring = new Int32Array(2 * numbers.next());
      for (let i = 0; i < ring.length; i += 2) {
        ring[i] = x += numbers.signed();
        ring[i + 1] = y += numbers.signed();
      }
      return ring;
    });
  });
}
