// What the pages need of a script: forms that carry the page's token, dropped files, progress, and long tables.
"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const token = $('meta[name="page-token"]').content;
  const { path, root } = document.body.dataset;
  if (location.pathname.startsWith("/open/")) history.replaceState(null, "", path || `${root}/`);

  // Forms.

  const fieldsOf = (form, button) => {
    const fields = {};
    for (const [name, value] of new FormData(form, button)) if (typeof value === "string") (fields[name] ??= []).push(value);
    return fields;
  };
  const send = async (address, fields) => {
    const answer = await fetch(address, {
      method: "POST", cache: "no-store", credentials: "same-origin",
      headers: { "content-type": "application/json", accept: "application/json", "x-page-token": token },
      body: JSON.stringify(fields),
    });
    return answer.json().catch(() => ({ error: "The program does not answer. Is it still running?" }));
  };
  const LOST = "The program does not answer. It may have been stopped: start it again.";
  const say = (root, text) => {
    const place = $(".error", root) ?? $(".error");
    place.textContent = text;
    place.tabIndex = -1;
    if (text) place.focus();
  };
  const ended = () => {
    document.body.replaceChildren();
    const text = document.createElement("main");
    text.innerHTML = "<h1>Stopped</h1><p>The program has ended, and its private copies are gone. You can close this window.</p>";
    document.body.append(text);
  };
  const submit = async (form, button) => {
    say(form, "");
    form.setAttribute("aria-busy", "true");
    const bar = document.createElement("progress"), late = setTimeout(() => form.append(bar), 1000);
    bar.setAttribute("aria-label", "Working");
    try {
      const done = await send(button?.formAction && button.hasAttribute("formaction") ? button.formAction : form.action, fieldsOf(form, button));
      if (done.stopped) ended();
      else if (done.error) say(form, done.error);
      else if (done.go === location.pathname) location.reload();
      else if (done.go) location.assign(done.go);
      else form.dispatchEvent(new CustomEvent("answered", { detail: done }));
    } catch { say(form, LOST); }
    clearTimeout(late);
    bar.remove();
    form.removeAttribute("aria-busy");
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    event.preventDefault();
    if (form.getAttribute("aria-busy") !== "true") submit(form, event.submitter);
  });

  // A file that is chosen or dropped goes to a private folder.

  const upload = (zone, files, batch = "") => {
    const bar = $("progress", zone), [file, ...rest] = files, isOne = !batch && !rest.length;
    if (!file) return;
    if (!isOne && !zone.dataset.several) { say(zone, "Choose one file."); return; }
    if (file.size > Number(zone.dataset.most)) { say(zone, "The file is too large to copy. Give its path below: it is then read where it is."); return; }
    say(zone, "");
    bar.hidden = false;
    const request = new XMLHttpRequest();
    request.open("PUT", isOne ? zone.dataset.drop : zone.dataset.several);
    request.setRequestHeader("x-page-token", token);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("x-file-name", encodeURIComponent(file.name));
    if (batch) request.setRequestHeader("x-batch", batch);
    request.upload.onprogress = (event) => { if (event.lengthComputable) bar.value = event.loaded / event.total; };
    request.onerror = () => { bar.hidden = true; say(zone, LOST); };
    request.onload = () => {
      bar.hidden = true;
      let done = {};
      try { done = JSON.parse(request.responseText); } catch { done = { error: LOST }; }
      if (!done.go) say(zone, isOne ? done.error ?? LOST : `${file.name}: ${done.error ?? LOST}`);
      else if (isOne) location.assign(done.go);
      else if (rest.length) upload(zone, rest, done.go.split("/").pop());
      else send(`${done.go}/read`, {}).then((next) => location.assign(next.go), () => say(zone, LOST));
    };
    request.send(file);
  };
  for (const zone of $$("[data-drop]")) {
    const over = (is) => (event) => { event.preventDefault(); zone.classList.toggle("over", is); };
    zone.addEventListener("dragover", over(true));
    zone.addEventListener("dragleave", over(false));
    zone.addEventListener("drop", (event) => { over(false)(event); upload(zone, [...event.dataTransfer.files]); });
    $("[data-upload]", zone).addEventListener("change", (event) => upload(zone, [...event.target.files]));
  }
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());

  // The page of a job.

  const job = $("[data-job]");
  if (job) {
    const look = async () => {
      let now;
      try { now = await (await fetch(job.dataset.job, { cache: "no-store", headers: { accept: "application/json" } })).json(); }
      catch { now = { state: "failed", error: LOST }; }
      if (now.state === "done") { location.replace(now.go); return; }
      if (now.step) $("[data-step]", job).textContent = now.step;
      if (now.seconds > 1) $("[data-seconds]", job).textContent = `${now.seconds} s` + (now.left ? `; this step takes about ${now.left} s more` : "");
      const bar = $("progress", job);
      if (now.share == null) bar.removeAttribute("value"); else bar.value = now.share;
      if (now.state === "running") { setTimeout(look, 300); return; }
      $("progress", job).hidden = true;
      $("form", job).hidden = true;
      $("[data-step]", job).textContent = now.state === "canceled" ? `Canceled: ${job.dataset.left}.` : "";
      $("[data-seconds]", job).textContent = "";
      const failed = $("[data-failed]", job);
      failed.textContent = now.error ?? "";
      failed.hidden = !now.error;
      $("[data-after]", job).hidden = false;
    };
    look();
  }

  // On a narrow screen the cells of a row are below each other: each says what its column is called.

  for (const table of $$("table.stack")) {
    const heads = $$("thead th", table).map((head) => head.dataset.name ?? ($(".visually-hidden", head) ? "" : ($("button", head) ?? head).textContent.trim()));
    for (const row of $$("tbody tr", table)) {
      let at = heads.length - [...row.children].reduce((sum, cell) => sum + cell.colSpan, 0);
      for (const cell of row.children) {
        if (cell.tagName === "TD" && cell.colSpan === 1 && heads[at]) cell.dataset.label = heads[at];
        at += cell.colSpan;
      }
    }
  }

  // Long tables: search, sort, and select many.

  for (const table of $$("table[data-long]")) {
    const rows = $$("tbody tr", table);
    const search = $(`[data-search="${table.id}"]`), count = $(`[data-count="${table.id}"]`), all = $(`[data-all="${table.id}"]`);
    const boxes = () => rows.filter((row) => !row.hidden).map((row) => $('input[type="checkbox"]', row)).filter(Boolean);
    const tell = () => {
      const chosen = $$('tbody input[type="checkbox"]:checked', table).length, shown = rows.filter((row) => !row.hidden).length;
      if (count) count.textContent = `${shown.toLocaleString("en-US")} shown, ${chosen.toLocaleString("en-US")} chosen`;
    };
    search?.addEventListener("input", () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) row.hidden = !words.every((word) => row.dataset.text.includes(word));
      tell();
    });
    all?.addEventListener("change", () => { for (const box of boxes()) box.checked = all.checked; tell(); });
    table.addEventListener("change", tell);
    $$("thead button[data-sort]", table).forEach((button) => button.addEventListener("click", () => {
      const head = button.closest("th"), at = [...head.parentNode.children].indexOf(head);
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of $$("th[aria-sort]", table)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.children[at].dataset.value ?? row.children[at].textContent.trim();
      const order = (a, b) => (a !== "" && b !== "" && !isNaN(a) && !isNaN(b) ? a - b : a.localeCompare(b));
      rows.sort((one, other) => order(value(one), value(other)) * (down ? -1 : 1));
      $("tbody", table).append(...rows);
    }));
    tell();
  }

  // Choices that open others, and a sign that somebody still looks at the page.

  for (const form of $$("form[data-shows]")) {
    const show = () => {
      for (const part of $$("[data-when]", form)) {
        const [name, value] = part.dataset.when.split("=");
        const is = new FormData(form).getAll(name).includes(value);
        part.hidden = !is;
        for (const field of $$("input, select, textarea", part)) field.disabled = !is;
      }
    };
    form.addEventListener("change", show);
    show();
  }
  $$("[data-choose]").forEach((point) => {
    const form = point.closest("form");
    const choose = () => form.requestSubmit($$('button[name="aim"]', form).find((button) => button.value === point.dataset.choose));
    point.addEventListener("click", choose);
    point.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
  });
  for (const form of $$("form[data-values]")) {
    form.addEventListener("answered", (event) => {
      const room = $(".scroll", form), rows = event.detail.values.map(([text, records]) => {
        const row = document.createElement("tr"), value = document.createElement("th"), number = document.createElement("td");
        value.scope = "row"; value.textContent = text; number.className = "number"; number.textContent = records.toLocaleString("en-US");
        row.append(value, number);
        return row;
      });
      $("tbody", room).replaceChildren(...rows);
      room.hidden = false;
      room.focus();
    });
  }
  $$("[data-print]").forEach((button) => button.addEventListener("click", () => print()));
  setInterval(() => { if (!document.hidden) fetch(`${root}/here`, { cache: "no-store" }).catch(() => {}); }, 20000);
})();
