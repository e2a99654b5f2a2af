"use strict";
// One tab stop a chart: arrows walk through its marks, Escape leaves; what a mark says is told.
const said = document.getElementById("said");
const lit = [];
function tell(mark, chart) {
  for (const one of lit.splice(0)) one.classList.remove("lit");
  said.textContent = mark ? mark.dataset.say : "";
  if (!mark) return;
  const unit = mark.dataset.unit;
  const alike = unit ? [...chart.querySelectorAll("[data-unit]")].filter((one) => one.dataset.unit === unit) : [mark];
  for (const one of alike) { one.classList.add("lit"); lit.push(one); }
}
for (const chart of document.querySelectorAll("[data-chart]")) {
  const marks = [...chart.querySelectorAll("[data-say]")];
  let at = -1;
  chart.tabIndex = 0;
  chart.setAttribute("role", "group");
  chart.setAttribute("aria-label", `Chart with ${marks.length} values; arrow keys walk through them`);
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") { at = -1; tell(null, chart); }
    if (!step || !marks.length) return;
    event.preventDefault();
    at = (at + step + marks.length) % marks.length;
    tell(marks[at], chart);
  });
  chart.addEventListener("pointerover", (event) => tell(event.target.closest("[data-say]"), chart));
  chart.addEventListener("click", (event) => tell(event.target.closest("[data-say]"), chart));
  chart.addEventListener("focusout", () => { at = -1; tell(null, chart); });
  chart.addEventListener("pointerleave", () => tell(null, chart));
}
// Columns sort by their numbers, or by their words; long tables have a filter.
function key(row, column) {
  const text = row.cells[column].textContent.trim().replaceAll("−", "-").replaceAll(",", "");
  const number = Number.parseFloat(text.replace(/^[<+]/, ""));
  return Number.isNaN(number) ? text.toLowerCase() : number;
}
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.title = "Sort by this column";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      const rows = [...body.rows].map((row) => [key(row, column), row]);
      rows.sort(([a], [b]) => sign * (typeof a === typeof b ? (a > b) - (a < b) : typeof a === "number" ? -1 : 1));
      body.append(...rows.map(([, row]) => row));
    });
  });
  if (!("filter" in table.dataset)) continue;
  const filter = document.createElement("input");
  filter.className = "filter";
  filter.type = "search";
  filter.placeholder = "Filter rows";
  filter.setAttribute("aria-label", "Filter rows");
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.parentElement.before(filter);
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
addEventListener("beforeprint", () => { for (const one of document.querySelectorAll("details:not([open])")) { one.open = true; closed.push(one); } });
addEventListener("afterprint", () => { for (const one of closed.splice(0)) one.open = false; });
