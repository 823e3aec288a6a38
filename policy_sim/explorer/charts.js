// Two figures about states: shares by group size, and the place among all states.

function logScale(low, high, from, to) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  return (value) => from + ((Math.log10(value) - a) / (b - a)) * (to - from);
}

/** Lines: { points: [g, share][], band, label, short, kind }; kind names the release (a, b) and the state (one, two). */
function curveChart(lines, most, width) {
  const height = Math.max(230, Math.min(340, width * 0.5));
  const box = { left: 46, right: width - 52, top: 12, bottom: height - 40 };
  const x = logScale(1, most, box.left, box.right);
  const highest = Math.max(...lines.flatMap(({ points, band }) => [...points, ...(band ?? [])].map(([, share]) => share)));
  const full = [0.0001, 0.0004, 0.001, 0.004, 0.01, 0.04, 0.1, 0.2, 0.4].find((each) => each >= highest) ?? 1;
  const y = (share) => box.bottom - (share / full) * (box.bottom - box.top);
  const parts = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1].map((part) => part * full)) {
    parts.push(make("line", { x1: box.left, x2: box.right, y1: y(share), y2: y(share), class: share ? "grid" : "axis" }));
    parts.push(make("text", { x: box.left - 8, y: y(share) + 4, class: "tick end" }, `${Number((100 * share).toPrecision(3))}%`));
  }
  for (const g of [1, 2, 5, 10, 20, 50, 100, 1000, 10000].filter((each) => each <= most && (most < 100 || Number.isInteger(Math.log10(each))))) {
    parts.push(make("line", { x1: x(g), x2: x(g), y1: box.bottom, y2: box.bottom + 5, class: "axis" }));
    parts.push(make("text", { x: x(g), y: box.bottom + 19, class: "tick middle" }, g.toLocaleString("en-US")));
  }
  parts.push(make("text", { x: (box.left + box.right) / 2, y: height - 4, class: "tick middle" }, "people who share the same values, at most"));
  const d = (points) => points.map(([g, share], i) => `${i ? "L" : "M"}${x(g).toFixed(1)} ${y(share).toFixed(1)}`).join("");
  const ends = [];
  for (const { points, band, label, short, kind } of lines) {
    if (band) {
      const back = [...points].reverse().map(([g, share]) => `L${x(g).toFixed(1)} ${y(share).toFixed(1)}`).join("");
      parts.push(make("path", { d: `${d(band)}${back}Z`, class: `band ${kind}` }));
    }
    parts.push(make("path", { d: d(points), class: `curve ${kind}` }, make("title", {}, label)));
    ends.push({ at: y(points[points.length - 1][1]), short, kind });
  }
  ends.sort((a, b) => a.at - b.at);
  ends.forEach((end, i) => (end.at = Math.max(end.at, i ? ends[i - 1].at + 16 : box.top + 4)));
  const over = Math.max(0, ends.length ? ends[ends.length - 1].at - box.bottom : 0);
  for (const { at, short, kind } of ends) parts.push(make("text", { x: box.right + 6, y: at - over + 4, class: `direct ${kind}` }, short));
  const words = lines.map(({ label, points }) => `${label}: ${percent(points[0][1])} unique, ${percent(points[points.length - 1][1])} in groups of ${most.toLocaleString("en-US")} or fewer`).join("; ");
  return make("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `Share of people by group size. ${words}.` }, parts);
}

/** Rows: { label, kind, values: [{ code, name, value }] }: one dot per state on a line from low to high. */
function placeChart(rows, { measure, chosen, other, width, onchoose }) {
  const usd = MEASURES[measure].unit === "usd";
  const write = usd ? dollars : percent;
  const all = rows.flatMap((row) => row.values.map((each) => each.value)).filter((value) => value > 0);
  if (!all.length) return make("p", { class: "quiet" }, "No figures for this measure.");
  let [low, high] = [Math.max(Math.min(...all), LEAST_LIMIT[MEASURES[measure].unit]), Math.max(...all)];
  const wide = high / low > 30;
  if (!wide) [low, high] = [0, high * 1.05];
  else [low, high] = [low / 1.3, high * 1.3];
  if (!usd) high = Math.min(high, 1);
  const left = 14;
  const right = width - 14;
  const x = wide ? (value) => logScale(low, high, left, right)(Math.max(value, low)) : (value) => left + ((value - low) / (high - low)) * (right - left);
  const step = 66;
  const height = rows.length * step + 26;
  const parts = [];
  const ticks = [];
  if (wide) for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high) + 1e-9; power++) ticks.push(10 ** power);
  else {
    const unit = niceNear(high / 4, false);
    for (let value = 0; value <= high; value += unit) ticks.push(value);
  }
  for (const tick of ticks) {
    parts.push(make("line", { x1: x(tick), x2: x(tick), y1: 8, y2: height - 22, class: "grid" }));
    parts.push(make("text", { x: Math.min(Math.max(x(tick), 16), width - 24), y: height - 6, class: "tick middle" }, tick === 0 ? "0" : write(tick)));
  }
  rows.forEach(({ label, kind, values }, row) => {
    const middle = row * step + 44;
    parts.push(make("text", { x: left, y: middle - 28, class: `direct ${kind}` }, label));
    const known = values.filter((each) => each.value !== null);
    const front = (code) => (code === chosen ? 2 : code === other ? 1 : 0);
    known.sort((a, b) => front(a.code) - front(b.code));
    for (const { code, name, value } of known) {
      const rank = known.filter((each) => each.value > value).length + 1;
      parts.push(make("circle", { cx: x(value), cy: middle, r: front(code) ? 7 : 4.5, class: `dot ${kind} ${front(code) ? "front" : ""}`, onclick: () => onchoose(code) }, make("title", {}, `${name}: ${write(value)}, number ${rank} of ${known.length}`)));
      if (front(code)) parts.push(make("text", { x: Math.min(Math.max(x(value), 44), width - 44), y: front(code) === 2 ? middle - 12 : middle + 21, class: "tick middle strong" }, `${code} ${write(value)}`));
    }
  });
  const words = rows.map(({ label, values }) => {
    const known = values.filter((each) => each.value !== null);
    const mine = known.find((each) => each.code === chosen);
    const rank = mine ? known.filter((each) => each.value > mine.value).length + 1 : 0;
    return mine ? `${label}: ${mine.name} is number ${rank} of ${known.length}` : `${label}: no figure`;
  });
  return make("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `${MEASURES[measure].title}, all states. ${words.join("; ")}.` }, parts);
}
