// Elements, colors and maps.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: attributes that begin with "on" are listeners, false and null ones are left out. */
function make(tag, attributes = {}, ...children) {
  const isSvg = MAKES_SVG.has(tag);
  const element = isSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") element.style.cssText = value; // not as markup, which a strict policy of a server forbids
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
const MAKES_SVG = new Set("svg g path rect circle line polyline text tspan pattern defs title desc".split(" "));

/** Steps of one hue family, light to dark on paper and dark to light on a dark page: more is further from the page. */
const RAMPS = {
  light: ["#fff7d6", "#fee39c", "#fec45c", "#fb9a3c", "#ec6a2c", "#c9401f", "#8a1f17"],
  dark: ["#3a2a2c", "#5e2f2a", "#8a3526", "#b64a25", "#dc742f", "#f4a64f", "#fddf9a"],
};

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function inkOn(color) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = parseInt(color.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.25 ? "#1b1b1b" : "#ffffff";
}

/** A number that reads well near a value: two digits at most; near 1 of what is left to 1. */
function niceNear(value, share) {
  if (value <= 0) return 0;
  if (share && value > 0.9) return 1 - niceNear(1 - value, false);
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9, 10];
  const lead = value / power;
  return Number((steps.reduce((best, each) => (Math.abs(each - lead) < Math.abs(best - lead) ? each : best)) * power).toPrecision(3));
}

// Round limits of classes by their first digits, the finest first: from one to the next at most 3.4 times as much.
const LADDERS = [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3]];
const LEAST_LIMIT = { share: 1e-5, usd: 0.01 }; // what is less is one class
const MOST_LIMITS = 9;
const CLOSE = 5; // the greatest over the least: up to here classes are equal steps

/** Limits of the classes of some values: equal round steps where they are close together, else by the finest ladder that is not too long. */
function limitsOf(values, unit) {
  const sorted = values.filter((value) => Number.isFinite(value) && value > 0).sort((a, b) => a - b);
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  if (!(high > low)) return [];
  if (high / low < CLOSE) return equalSteps(low, high);
  const least = Math.max(low, LEAST_LIMIT[unit] / 1.01);
  const powers = Array.from({ length: 24 }, (_, i) => i - 12);
  const all = LADDERS.map((leads) => powers.flatMap((power) => leads.map((lead) => Number(`${lead}e${power}`))).filter((limit) => limit > least && limit <= high));
  const between = all.find((limits) => limits.length <= MOST_LIMITS) ?? all[all.length - 1];
  // of too many those that tell the most values apart, and the highest of several
  const inside = (first) => sorted.filter((value) => value >= between[first] && value < (between[first + MOST_LIMITS] ?? Infinity)).length;
  let best = Math.max(between.length - MOST_LIMITS, 0);
  for (let first = best - 1; first >= 0; first--) if (inside(first) > inside(best)) best = first;
  return between.slice(best, best + MOST_LIMITS);
}

function equalSteps(low, high) {
  const least = high >= 0.1 && high <= 1 ? 0.001 : 10 ** (Math.floor(Math.log10(high)) - 1); // what is written of them
  const power = 10 ** Math.floor(Math.log10((high - low) / 7));
  const step = Math.max(least, [1, 2, 5, 10].map((lead) => lead * power).find((each) => each >= (high - low) / 7));
  const first = Math.floor(low / step + 1e-9) + 1;
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(6)));
}

function classAt(limits, value) {
  let place = 0;
  while (place < limits.length && value >= limits[place]) place++;
  return place;
}

/** The color of a class, between two steps of the ramp. Low dollars are high risk: turned round. */
function colorAt(limits, place, turned) {
  const ramp = RAMPS[isDark() ? "dark" : "light"];
  const part = limits.length ? place / limits.length : 0.5;
  const at = (turned ? 1 - part : part) * (ramp.length - 1);
  const [low, high] = [Math.floor(at), Math.ceil(at)].map((step) => [1, 3, 5].map((i) => parseInt(ramp[step].slice(i, i + 2), 16)));
  return `#${low.map((value, i) => Math.round(value + (at % 1) * (high[i] - value)).toString(16).padStart(2, "0")).join("")}`;
}

/** How an area is filled: by its class, hatched where two classes are possible, gray with a pattern where none. */
function fillOf(ends, limits, turned) {
  if (!ends) return { fill: "url(#hatch-none)", ink: null, place: "none" };
  const [low, high] = ends.map((value) => classAt(limits, value));
  if (low !== high) return { fill: "url(#hatch-range)", ink: null, place: "range" };
  const color = colorAt(limits, low, turned);
  return { fill: color, ink: inkOn(color), place: low };
}

function pathOf(rings, place) {
  let d = "";
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      const [x, y] = place(ring[i], ring[i + 1]);
      d += `${i ? "L" : "M"}${x} ${y}`;
    }
    d += "Z";
  }
  return d;
}

const PAGE = { left: -2450, right: 2820, bottom: 170, top: 3220 }; // km on the page of files/boundaries.py
// States too small for a label, and where the box that repeats them stands (show/maps/figure.py).
const CALLOUTS = { NH: [1.5, 3.12], VT: [1.5, 2.95], MA: [2.42, 2.5], RI: [2.42, 2.34], CT: [2.42, 2.18], NJ: [2.42, 2.02], DE: [2.42, 1.86], MD: [2.42, 1.7], DC: [2.42, 1.54] };
// Labels that stand in the sea beside the state.
const BESIDE = { HI: [-760, PAGE.top - 560] };

/** The outlines of the nation, made once. */
class Outlines {
  constructor(facts, stateShapes, countyShapes) {
    this.facts = facts;
    const { codes, grid } = facts.shapes.state;
    const place = (x, y) => [Math.round((x * grid) / 1000), Math.round(PAGE.top - (y * grid) / 1000)];
    this.states = new Map(codes.map((code, i) => [code, pathOf(stateShapes[i], place)]));
    this.labels = new Map(codes.map((code, i) => [code, facts.shapes.state.labels[i].map((m, k) => (k ? PAGE.top - m / 1000 : m / 1000))]));
    this.drawn = new Map();
    this.countyRings = new Map(facts.shapes.county.codes.map((code, i) => [code, countyShapes[i]]));
  }

  /** Paths of the areas of one state, made once. */
  counties(areas) {
    const state = areas[0]?.slice(0, 2);
    if (!this.drawn.has(state)) this.drawn.set(state, this.upright(areas));
    return this.drawn.get(state);
  }

  /** The same, turned upright, in a box of their own. */
  upright(areas) {
    const { grid, apex } = this.facts.shapes.county;
    const rings = areas.map((area) => this.countyRings.get(area));
    const turn = this.facts.shapes.county.upright[areas[0]?.slice(0, 2)] ?? 0;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    const at = (x, y) => {
      const [px, py] = [x * grid, y * grid - apex];
      return [px * cos - py * sin, px * sin + py * cos + apex];
    };
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const ring of rings.flat()) {
      for (let i = 0; i < ring.length; i += 2) {
        const [x, y] = at(ring[i], ring[i + 1]);
        left = Math.min(left, x);
        right = Math.max(right, x);
        bottom = Math.min(bottom, y);
        top = Math.max(top, y);
      }
    }
    const scale = 1000 / Math.max(right - left, (top - bottom) * 1.25);
    const place = (x, y) => {
      const [px, py] = at(x, y);
      return [((px - left) * scale).toFixed(1), ((top - py) * scale).toFixed(1)];
    };
    const size = [(right - left) * scale, (top - bottom) * scale];
    return { paths: rings.map((each) => pathOf(each, place)), size };
  }
}

function hatches() {
  return make("defs", {},
    make("pattern", { id: "hatch-none", width: 26, height: 26, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      make("rect", { width: 26, height: 26, class: "hatch-paper" }), make("rect", { width: 6, height: 26, class: "hatch-ink" })),
    make("pattern", { id: "hatch-range", width: 26, height: 26, patternUnits: "userSpaceOnUse" },
      make("rect", { width: 26, height: 26, class: "range-paper" }), make("rect", { width: 6, height: 26, class: "range-ink" })));
}

/** A map of the states: areas: code -> { ends, words }. One tab stop; arrow keys move to the nearest state. */
function stateMap(outlines, areas, { limits, turned, chosen, other, label, onchoose, ontip }) {
  const width = PAGE.right - PAGE.left;
  const height = PAGE.top - PAGE.bottom;
  const shapes = make("g", {});
  const texts = make("g", { class: "map-labels", "aria-hidden": "true" });
  const rings = make("g", { class: "map-rings", "aria-hidden": "true" });
  const marks = new Map();
  for (const [code, area] of areas) {
    const d = outlines.states.get(code);
    if (!d) continue;
    const { fill, ink } = fillOf(area.ends, limits, turned);
    const attributes = { fill, class: "area", "data-code": code };
    const body = make("g", {
      role: "button", tabindex: code === chosen ? 0 : -1, "aria-label": `${area.name}: ${area.words}`, "aria-pressed": String(code === chosen), "data-code": code, class: "place",
      onclick: () => onchoose(code), onfocus: (event) => ontip(event.currentTarget, area), onmouseenter: (event) => ontip(event.currentTarget, area), onmouseleave: () => ontip(null), onblur: () => ontip(null),
    }, make("path", { d, ...attributes }));
    const [x, y] = outlines.labels.get(code);
    marks.set(code, [x, y, body]);
    if (CALLOUTS[code]) {
      const [bx, by] = [CALLOUTS[code][0] * 1000, PAGE.top - CALLOUTS[code][1] * 1000];
      const eastward = bx > x;
      body.append(make("line", { x1: eastward ? bx : bx + 120, y1: by, x2: x, y2: y, class: "leader" }), make("rect", { x: bx, y: by - 62, width: 150, height: 124, ...attributes }));
      texts.append(make("text", { x: eastward ? bx + 170 : bx - 20, y: by, class: `beside${eastward ? "" : " end"}` }, code));
    } else {
      texts.append(make("text", { x: BESIDE[code]?.[0] ?? x, y: BESIDE[code]?.[1] ?? y, style: BESIDE[code] || !ink ? null : `fill:${ink}` }, code));
    }
    shapes.append(body);
    if (code === chosen || code === other) rings.append(make("path", { d, class: code === chosen ? "ring" : "ring second" }));
  }
  const svg = make("svg", { viewBox: `${PAGE.left} 0 ${width} ${height}`, class: "map", role: "group", "aria-label": label }, hatches(), shapes, rings, texts);
  svg.addEventListener("keydown", (event) => walkMap(event, marks, onchoose));
  return svg;
}

function walkMap(event, marks, onchoose) {
  const code = event.target.closest?.(".place")?.dataset.code;
  if (!code) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    onchoose(code);
    return;
  }
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!step) return;
  event.preventDefault();
  const [x, y] = marks.get(code);
  let best = null;
  for (const [dx0, dy0, body] of marks.values()) {
    const [dx, dy] = [dx0 - x, dy0 - y];
    const along = dx * step[0] + dy * step[1];
    const aside = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
    if (along > 0 && aside < 2 * along && (!best || along + 2 * aside < best.far)) best = { far: along + 2 * aside, body };
  }
  if (best) {
    event.target.closest(".place").setAttribute("tabindex", "-1");
    best.body.setAttribute("tabindex", "0");
    best.body.focus();
  }
}

/** A map of the counties of one state; its figures are in the table beside it. */
function countyMap(outlines, areas, { limits, turned, label, ontip }) {
  const codes = [...areas.keys()];
  const { paths, size } = outlines.counties(codes);
  const shapes = codes.map((code, i) => {
    const area = areas.get(code);
    return make("path", { d: paths[i], fill: area ? fillOf(area.ends, limits, turned).fill : "url(#hatch-none)", class: "area county",
      onmouseenter: (event) => ontip(event.currentTarget, area), onmouseleave: () => ontip(null), onclick: (event) => ontip(event.currentTarget, area) });
  });
  return make("svg", { viewBox: `-4 -4 ${size[0] + 8} ${size[1] + 8}`, class: "map county-map", role: "img", "aria-label": label }, shapes);
}

function legend(limits, measure, kinds, turned) {
  const usd = MEASURES[measure].unit === "usd";
  const write = (value) => (usd ? dollars(value).replace(/\.00$/, "") : percent(value).replace(/(\.\d*?)0+%$/, "$1%").replace(/\.%$/, "%"));
  const swatch = (style, words) => make("li", {}, make("span", { class: `swatch ${style.startsWith("#") ? "" : style}`, style: style.startsWith("#") ? `background:${style}` : null }), words);
  const items = Array.from({ length: limits.length + 1 }, (_, i) => {
    const words = i === 0 ? (limits.length ? `under ${write(limits[0])}` : "all") : i === limits.length ? `${write(limits[i - 1])} and more` : `${write(limits[i - 1])} to ${write(limits[i])}`;
    return kinds.has(i) ? swatch(colorAt(limits, i, turned), words) : null;
  });
  if (kinds.has("range")) items.push(swatch("range", "between two classes: a list field is unknown"));
  if (kinds.has("none")) items.push(swatch("none", "no figure: see the table for the reason"));
  return make("ul", { class: "legend", "aria-label": `Colors of ${MEASURES[measure].title}` }, items);
}
