"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
function make(tag, text = "", given = {}) {
  const made = Object.assign(document.createElement(tag), given);
  if (text) made.textContent = text;
  return made;
}

// What a mark says is told at the foot of the page, and to those who listen to it.
const said = document.getElementById("said");
const lit = [];
function tell(mark, chart) {
  for (const one of lit.splice(0)) one.classList.remove("lit");
  said.textContent = mark ? mark.dataset.say : "";
  if (!mark) return;
  const unit = mark.dataset.unit;
  const alike = unit ? all("[data-unit]", mark.closest("figure")).filter((one) => one.dataset.unit === unit) : [mark];
  for (const one of alike) {
    one.classList.add("lit");
    lit.push(one);
  }
}

// One tab stop a chart: arrows walk through the marks in view, Escape leaves them.
function walk(chart) {
  const seen = () => all("[data-say]", chart).filter((one) => !one.closest("[hidden], .elsewhere"));
  let at = null;
  chart.tabIndex = 0;
  chart.setAttribute("role", "group");
  const name = chart.getAttribute("aria-label") || "Chart";
  chart.setAttribute("aria-label", `${name}, ${seen().length} values`);
  chart.addEventListener("focus", () => {
    const told = `${seen().length} values: arrow keys walk through them, Escape leaves them.`;
    if (chart.matches(":focus-visible")) said.textContent = told;
  });
  chart.addEventListener("keydown", (event) => {
    if (event.target !== chart) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const ends = { Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") at = null;
    if (step || ends !== undefined) {
      const marks = seen();
      if (!marks.length) return;
      event.preventDefault();
      const now = marks.indexOf(at);
      const next = step ? (now < 0 && step < 0 ? marks.length - 1 : now + step) : ends;
      at = marks.at(next % marks.length);
      at.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (step || ends !== undefined || event.key === "Escape") tell(at, chart);
  });
  const under = (event) => tell(event.target.closest("[data-say]"), chart);
  chart.addEventListener("pointerover", under);
  chart.addEventListener("click", under);
  chart.addEventListener("focusout", () => {
    at = null;
    tell(null, chart);
  });
  chart.addEventListener("pointerleave", () => tell(at, chart));
}

// A chart of several panels: all of them, or one.
function choose(chart) {
  const panels = all("figure", chart).filter((one) => one.querySelector("figcaption"));
  if (panels.length < 2) return;
  const label = make("label", "Show ", { className: "tools" });
  const select = make("select");
  select.append(make("option", `all ${panels.length}`));
  const names = panels.map((one) => one.querySelector("figcaption").textContent);
  panels.forEach((one, place) => {
    const own = names[place], more = names.filter((name) => name === own).length > 1 && one.querySelector(".axis");
    select.append(make("option", more ? `${own}: ${more.textContent}` : own));
  });
  select.addEventListener("change", () => {
    const wanted = select.selectedIndex - 1;
    panels.forEach((one, place) => { one.hidden = wanted >= 0 && place !== wanted; });
  });
  label.append(select);
  chart.before(label);
  if (!chart.closest(".first") || chart.offsetHeight < 600) return;
  const pooled = panels.findIndex((one) => one.querySelector(".pooled"));
  select.selectedIndex = 1 + Math.max(pooled, 0);
  select.dispatchEvent(new Event("change"));
}

addEventListener("keydown", (event) => { if (event.key === "Escape") tell(null); });

// Columns sort by their numbers, or by their words; rows of all the others stay last.
const plain = (text) => text.trim().replaceAll("−", "-").replaceAll(",", "");
function key(row, column) {
  const text = plain(row.cells[column].textContent);
  const number = Number.parseFloat(text.replace(/^[<>≥≤=+\s]+/, ""));
  return Number.isNaN(number) ? text.toLowerCase() : number;
}
function order(a, b) {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return (a > b) - (a < b);
}
const pooled = (row) => row.classList.contains("pooled");
const first = new Map(); // the rows as they were
function arrange(table, by, mark) {
  const body = table.tBodies[0];
  if (!first.has(table)) first.set(table, [...body.rows]);
  for (const one of all("[aria-sort]", table)) one.removeAttribute("aria-sort");
  table.far?.setAttribute("aria-pressed", "false");
  mark();
  const rows = [...first.get(table)];
  if (by) rows.sort((a, b) => pooled(a) - pooled(b) || (pooled(a) ? 0 : by(a, b)));
  body.append(...rows);
}
function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = make("button", head.textContent, { type: "button", title: "Sort by this column" });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const way = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
      const by = (a, b) => (way === "ascending" ? 1 : -1) * order(key(a, column), key(b, column));
      arrange(table, way && by, () => { if (way) head.setAttribute("aria-sort", way); });
    });
  });
}

// What is in view of a table, to be copied.
function told(cell) {
  const own = cell.cloneNode(true);
  for (const sign of all("i, .sign, small", own)) sign.remove();
  return own.textContent.trim().replace(/\s+/g, " ");
}
const shown = (table) => [table.tHead.rows[0], ...table.tBodies[0].rows]
  .filter((row) => !row.hidden && !row.classList.contains("elsewhere"))
  .map((row) => [...row.cells].map(told));
const texts = {
  CSV: (rows) => rows.map((row) => row.map((text) => {
    const own = text.replaceAll("−", "-");
    return /[",\n]/.test(own) ? `"${own.replaceAll('"', '""')}"` : own;
  }).join(",")).join("\n"),
  Markdown: (rows) => {
    const lines = rows.map((row) => `| ${row.map((text) => text.replace(/[\\|*_`<[]/g, "\\$&")).join(" | ")} |`);
    lines.splice(1, 0, `|${" --- |".repeat(rows[0].length)}`);
    return lines.join("\n");
  },
  LaTeX: (rows) => {
    const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
    Object.assign(special, { "−": "$-$", "±": "$\\pm$", "≈": "$\\approx$", "≠": "$\\ne$", "λ": "$\\lambda$" });
    Object.assign(special, { "≥": "$\\ge$", "≤": "$\\le$", "<": "$<$", ">": "$>$", "∞": "$\\infty$" });
    const escape = (text) => text.replace(/[&%$#_{}]/g, "\\$&");
    const cell = (text) => text.split(/([\\~^−±≈≠λ≥≤<>∞])/).map((one) => special[one] || escape(one)).join("");
    const [head, ...body] = rows.map((row) => `${row.map(cell).join(" & ")} \\\\`);
    const begin = `\\begin{tabular}{l${"r".repeat(rows[0].length - 1)}}`;
    return [begin, "\\hline", head, "\\hline", ...body, "\\hline", "\\end{tabular}"].join("\n");
  },
};
async function put(text, told) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", "", { value: text });
    const before = document.activeElement;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    before.focus();
  }
  said.textContent = told;
  setTimeout(() => { if (said.textContent.startsWith("Copied")) said.textContent = ""; }, 4000);
}
function copy(table, format) {
  const rows = shown(table);
  return put(`${texts[format](rows)}\n`, `Copied ${rows.length - 1} rows as ${format}.`);
}

// Above a long table: a filter by words, one by verdict, and copies of what is in view.
const LONG = 8;
function tools(table) {
  const body = table.tBodies[0];
  const verdicts = new Map();
  for (const cell of all("tr:not(.pooled) [data-verdict]", body)) {
    verdicts.set(cell.dataset.verdict, (verdicts.get(cell.dataset.verdict) || 0) + 1);
  }
  if (body.rows.length < LONG) return;
  const bar = make("div", "", { className: "tools" });
  const filter = make("input", "", { type: "search", placeholder: "Filter rows" });
  filter.setAttribute("aria-label", "Filter rows");
  const none = make("output");
  let wanted = "";
  const apply = () => {
    const words = filter.value.toLowerCase();
    for (const row of body.rows) {
      const found = !wanted || (!pooled(row) && all("[data-verdict]", row).some((cell) => cell.dataset.verdict === wanted));
      row.hidden = !found || !row.textContent.toLowerCase().includes(words);
      const link = row.cells[0].querySelector("a[href^='#']"); // a list that it unfolds to
      const list = link && document.getElementById(link.hash.slice(1));
      if (list) list.hidden = row.hidden;
    }
    none.textContent = body.querySelector("tr:not([hidden], .elsewhere)") ? "" : "No row has this.";
  };
  filter.addEventListener("input", apply);
  bar.append(filter);
  const buttons = [];
  for (const [verdict, count] of verdicts.size > 1 ? verdicts : []) {
    const button = make("button", `${verdict} ${count}`, { type: "button" });
    button.setAttribute("aria-pressed", "false");
    button.dataset.verdict = verdict;
    button.addEventListener("click", () => {
      wanted = wanted === verdict ? "" : verdict;
      for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.verdict === wanted));
      apply();
    });
    buttons.push(button);
  }
  bar.append(...buttons);
  if (body.querySelector("[data-far]")) {
    const far = table.far = make("button", "furthest first", { type: "button" });
    far.setAttribute("aria-pressed", "false");
    const reach = (row) => Math.max(-1, ...all("[data-far]", row).map((one) => Math.abs(one.dataset.far.replace("inf", "1e9"))));
    far.addEventListener("click", () => {
      const on = far.getAttribute("aria-pressed") === "false";
      arrange(table, on && ((a, b) => reach(b) - reach(a)), () => far.setAttribute("aria-pressed", String(on)));
    });
    bar.append(far);
  }
  for (const format of Object.keys(texts)) {
    const button = make("button", `copy ${format}`, { type: "button" });
    button.addEventListener("click", () => copy(table, format));
    bar.append(button);
  }
  bar.append(none);
  table.parentElement.before(bar);
}

// On a telephone, rows of differences, and of few columns that are cut, are cards that say what values are.
function labelled(table) {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  for (const row of table.tBodies[0].rows) {
    heads.forEach((head, place) => {
      if (place && row.cells[place].textContent.trim() !== "–") row.cells[place].dataset.head = head;
    });
  }
  table.classList.add("judged");
}
for (const table of all("table.stacked")) labelled(table);
if (matchMedia("(max-width: 52rem)").matches) {
  const few = all("table.data:not(.judged)").filter((table) => table.tHead.rows[0].cells.length < 8);
  const cut = few.filter(({ parentElement: box }) => box.scrollWidth > box.clientWidth + 1);
  for (const table of cut) { table.classList.add("stacked"); labelled(table); }
}

// A table that is cut at the right says so.
const look = (box) => {
  const left = box.scrollWidth - box.clientWidth;
  box.classList.toggle("wide", left > 1);
  box.classList.toggle("more", left - box.scrollLeft > 1);
};
const sizes = new ResizeObserver((seen) => requestAnimationFrame(() => { for (const one of seen) look(one.target); }));
for (const box of all(".scroll")) {
  sizes.observe(box);
  box.addEventListener("scroll", () => look(box));
}
for (const table of all("table.data")) {
  sortable(table);
  tools(table);
}
for (const chart of all("[data-chart]")) {
  walk(chart);
  choose(chart);
}

// One data set at a time: rows and panels of others are hidden.
const contents = document.getElementById("parts");
function oneByOne(names) {
  const known = new Set(names);
  const places = new Map();
  for (const row of all("table.data tbody tr, table.intervals tr")) {
    const name = [...row.cells].slice(0, 3).map((cell) => cell.textContent.trim()).find((text) => known.has(text));
    if (name) places.set(row, name);
  }
  for (const panel of all("figure.panel")) {
    const name = panel.querySelector("figcaption")?.textContent.trim();
    if (known.has(name)) places.set(panel, name);
  }
  const there = names.filter((name) => [...places.values()].includes(name));
  if (there.length < 2) return;
  const label = make("label", "Data set ", { className: "tools" });
  const select = make("select");
  select.append(make("option", "all"), ...there.map((name) => make("option", name)));
  select.addEventListener("change", () => {
    const wanted = select.selectedIndex ? select.value : "";
    for (const [one, name] of places) one.classList.toggle("elsewhere", wanted !== "" && name !== wanted);
    said.textContent = wanted ? `Of rows and panels that are of one data set, those of ${wanted} are shown.` : "";
  });
  label.append(select);
  contents.append(label);
}
if (contents.dataset.problems) oneByOne(JSON.parse(contents.dataset.problems));

// What is to be copied whole.
for (const text of all("pre.cite")) {
  const button = make("button", "copy BibTeX", { type: "button" });
  button.addEventListener("click", () => put(text.textContent, "Copied BibTeX."));
  const bar = make("div", "", { className: "tools" });
  bar.append(button);
  text.before(bar);
}

// The numbers of all tables in full, for programs.
const numbers = document.getElementById("numbers");
if (numbers) {
  const button = make("button", "Save all numbers (JSON)", { type: "button" });
  button.addEventListener("click", () => {
    const href = URL.createObjectURL(new Blob([numbers.textContent], { type: "application/json" }));
    const name = document.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    make("a", "", { href, download: `${name || "numbers"}.json` }).click();
  });
  const bar = make("div", "", { className: "tools" });
  bar.append(button);
  contents.append(bar);
}

// Light or dark, whatever the system has.
const bar = document.querySelector(".bar"), root = document.documentElement;
try { root.dataset.theme = localStorage.getItem("rankexp-theme") || ""; } catch { /* it is not kept */ }
if (bar) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = make("button", "", { type: "button" });
  const other = () => (({ dark: "light", light: "dark" })[root.dataset.theme] || (dark.matches ? "light" : "dark"));
  const name = () => { button.textContent = other(); button.setAttribute("aria-label", `${other()} theme`); };
  button.addEventListener("click", () => {
    root.dataset.theme = other();
    try { localStorage.setItem("rankexp-theme", root.dataset.theme); } catch { /* nor here */ }
    name();
  });
  dark.addEventListener("change", name);
  name();
  const tools = make("div", "", { className: "tools" });
  tools.append(button);
  bar.append(tools);
}

// A link to a folded part opens it, and so does printing.
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();
const closed = [];
addEventListener("beforeprint", () => {
  for (const one of all("details:not([open])")) {
    one.open = true;
    closed.push(one);
  }
});
addEventListener("afterprint", () => {
  for (const one of closed.splice(0)) one.open = false;
});
