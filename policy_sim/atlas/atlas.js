"use strict";
// Searches the index of search.js, and sorts and filters tables. Pages can be read without it.

const MOST = 12;
const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Return the entries that have every word, those whose title begins with the query first. */
function matching(query) {
  const words = wordsOf(query);
  if (!words.length) return [];
  const rank = ([title]) => {
    const text = title.toLowerCase();
    return text.startsWith(words.join(" ")) ? 0 : wordsOf(text).some((word) => word.startsWith(words[0])) ? 1 : 2;
  };
  return ATLAS.filter((entry) => words.every((word) => entry.join(" ").toLowerCase().includes(word)))
    .sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

function search() {
  const form = document.querySelector("form[role=search]");
  const input = form.querySelector("input"), list = form.querySelector("ul"), said = form.querySelector("p");
  form.hidden = false;
  const show = () => {
    const entries = matching(input.value);
    list.replaceChildren(...entries.map(([title, kind, path]) => {
      const item = document.createElement("li"), link = document.createElement("a"), note = document.createElement("span");
      link.href = document.documentElement.dataset.root + path;
      note.textContent = ` ${kind}`;
      link.append(title, note);
      item.append(link);
      return item;
    }));
    said.textContent = input.value.trim() ? (entries.length ? `${entries.length} matches` : "No match") : "";
    if (input.value.trim() && !entries.length) {
      const item = document.createElement("li");
      item.textContent = "No match";
      list.append(item);
    }
  };
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = "";
    show();
    input.focus();
  });
}

/** The number that a cell begins with; what is free costs 0, and what has no figure comes last. */
function numberOf(cell) {
  const text = cell.textContent.trim();
  if (text === "free" || text === "nobody") return 0;
  const match = text.match(/^[<>≥$]*([\d,]*\.?\d+)/);
  return match ? Number(match[1].replaceAll(",", "")) : null;
}

function sortBy(table, place, down) {
  const body = table.tBodies[0], head = table.tHead.rows[0].cells;
  const numeric = head[place].classList.contains("number");
  const value = (row) => (numeric ? numberOf(row.cells[place]) : row.cells[place].textContent.trim());
  const rows = [...body.rows].sort((a, b) => {
    const x = value(a), y = value(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return (numeric ? x - y : x.localeCompare(y)) * (down ? -1 : 1);
  });
  body.append(...rows);
  for (const [at, cell] of [...head].entries()) {
    if (at === place) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
  }
}

function sortAndFilter(block, number) {
  const table = block.querySelector("table");
  for (const [place, cell] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const first = cell.classList.contains("number") ? "descending" : "ascending";
      const now = cell.getAttribute("aria-sort");
      sortBy(table, place, (now === null ? first : now === "ascending" ? "descending" : "ascending") === "descending");
    });
  }
  const line = document.createElement("p"), label = document.createElement("label"), input = document.createElement("input");
  const count = document.createElement("span");
  line.className = "filter";
  label.htmlFor = input.id = `filter-${number}`;
  label.textContent = `Filter the ${block.dataset.rows}: `;
  input.type = "search";
  count.setAttribute("role", "status");
  input.addEventListener("input", () => {
    const words = wordsOf(input.value);
    let left = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      left += !row.hidden;
    }
    count.textContent = words.length ? ` ${left} of ${table.tBodies[0].rows.length}` : "";
  });
  line.append(label, input, count);
  block.prepend(line);
}

search();
document.querySelectorAll(".sortable").forEach(sortAndFilter);
document.documentElement.dataset.ready = "";
