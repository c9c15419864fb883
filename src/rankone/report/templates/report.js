// The page's behaviour: draws the panels, switches axes, curves and themes, sorts and filters tables.
"use strict";
const root = document.documentElement;
const known = JSON.parse(document.getElementById("data").textContent);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// ---- Light and dark --------------------------------------------------------------------------
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = null; // what the reader asked for, if anything
try { chosen = localStorage.getItem("rankone-theme"); } catch { /* a page from disk may not store */ }
let printing = false;
const dark = () => !printing && (chosen ? chosen === "dark" : system.matches);
function applyTheme() { root.dataset.theme = dark() ? "dark" : "light"; }
applyTheme();
document.querySelector(".theme").addEventListener("click", () => {
  chosen = dark() ? "light" : "dark";
  try { localStorage.setItem("rankone-theme", chosen); } catch { /* see above */ }
  applyTheme();
  drawAll();
});
system.addEventListener("change", () => { applyTheme(); drawAll(); });

// ---- Plots -----------------------------------------------------------------------------------
const CONFIG = { displayModeBar: false, responsive: false, scrollZoom: false };
const word = (name) => getComputedStyle(root).getPropertyValue(name).trim();

// The text of a panel with the colours of the present theme.
function coloured(text) {
  for (const name of ["ink", "grid", "marked", "cell", "range", "worst"]) text = text.replaceAll(`@${name}`, word(`--${name}`));
  if (dark()) for (const [light, other] of Object.entries(known.dark)) text = text.replaceAll(light, other);
  return text;
}

function axisLook(axis) {
  const title = { text: axis.title || "", font: { size: 12 }, standoff: 6 };
  return { gridcolor: word("--grid"), zerolinecolor: word("--grid"), linecolor: word("--line"), automargin: true,
    tickfont: { size: 11 }, separatethousands: true, exponentformat: "none", ...axis, title };
}

const extent = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0]);

// Linear or logarithmic, over what the visible curves need.
function setAxes(layout, data, figure) {
  const { x, y } = figure.dataset;
  layout.xaxis.type = x;
  layout.yaxis.type = y;
  const seen = data.filter((trace) => trace.visible !== false && trace.meta && trace.meta.top);
  if (layout.meta && layout.meta.time) {
    const [first, last] = layout.meta.time;
    layout.xaxis.range = x === "log" ? [Math.log10(first), Math.log10(last)] : [0, last];
    layout.xaxis.tickformat = x === "log" ? "" : "~s";
    if (seen.length) {
      const top = Math.max(...seen.map((trace) => trace.meta.top));
      const low = Math.min(...seen.map((trace) => trace.meta.low));
      layout.yaxis.range = y === "log" ? [Math.log10(low) - 0.05, Math.log10(top) + 0.05] : [0, 1.04 * top];
    }
  } else if (y === "linear") layout.yaxis.rangemode = "tozero";
  for (const [axis, type, along] of [[layout.xaxis, x, "x"], [layout.yaxis, y, "y"]]) {
    if (type !== "log" || axis.tickvals) continue;
    const values = data.filter((trace) => trace.visible !== false).flatMap((trace) => trace[along]).filter((value) => value > 0);
    const [low, high] = axis.range || extent(values).map(Math.log10);
    const wide = high - low > 1.5;
    Object.assign(axis, { exponentformat: "power", dtick: wide ? 1 : "D2", tickformat: "" });
  }
  for (const trace of data) { // a mark every now and then, evenly along the axis
    if (!trace.meta || !trace.meta.marks) continue;
    const size = new Array(trace.x.length).fill(0);
    for (const place of trace.meta.marks[x]) size[place] = trace.marker.size;
    trace.marker.size = size;
    trace.marker.line = { width: 0 };
  }
}

function draw(plot) {
  const figure = plot.closest(".chart");
  const panel = JSON.parse(coloured(plot.nextElementSibling.textContent));
  const off = new Set(all(".keys [aria-pressed=false]", figure).map((key) => key.dataset.policy));
  const { data, layout } = panel;
  for (const trace of data) {
    trace.type ||= "scatter";
    trace.showlegend = false;
    // Numbers stand in the cells of a matrix only where they fit; the read-out has them anyway.
    if (trace.customdata && trace.texttemplate && plot.clientWidth / trace.x.length < 45)
      trace.text = trace.text.map((row) => row.map((text) => (text === "×" ? text : "")));
    if (trace.meta && (off.has(trace.meta.policy) || off.has(trace.meta.also))) trace.visible = false;
  }
  layout.xaxis = axisLook(layout.xaxis);
  layout.yaxis = axisLook(layout.yaxis);
  if (panel.switched) setAxes(layout, data, figure);
  Object.assign(layout, {
    width: plot.clientWidth, height: plot.clientHeight, autosize: false,
    margin: { l: 50, r: 12, t: 8, b: 42, ...layout.margin },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest", hoverdistance: 30,
    font: { family: getComputedStyle(document.body).fontFamily, color: word("--ink"), size: 12 },
    hoverlabel: { bgcolor: word("--raised"), bordercolor: word("--soft"), align: "left",
      font: { color: word("--ink"), size: 13, family: getComputedStyle(document.body).fontFamily } },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
  });
  plot.drawnWidth = plot.clientWidth;
  return Plotly.react(plot, data, layout, CONFIG);
}

const plots = all(".plot");
const shown = (plot) => plot.clientWidth > 0;
function drawAll() { for (const plot of plots) if (plot.drawnWidth && shown(plot)) draw(plot); }

// One after the other, so that the page answers in between.
function drawNext(waiting) {
  const plot = waiting.shift();
  if (!plot) { root.dataset.drawn = "all"; return; }
  if (!plot.drawnWidth && shown(plot)) draw(plot);
  setTimeout(() => drawNext(waiting));
}
drawNext([...plots]);

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries)
    if (!printing && target.drawnWidth && shown(target) && target.clientWidth !== target.drawnWidth) draw(target);
});
for (const plot of plots) resized.observe(plot);

for (const figure of all(".chart")) {
  const redraw = () => { for (const plot of all(".plot", figure)) if (shown(plot)) draw(plot); };
  for (const key of all(".keys button", figure))
    key.addEventListener("click", () => {
      key.setAttribute("aria-pressed", key.getAttribute("aria-pressed") === "false");
      redraw();
    });
  for (const input of all(".switch input", figure))
    input.addEventListener("change", () => { figure.dataset[input.dataset.axis] = input.value; redraw(); });
}

// ---- Paper: light, and drawn to the width of a page; what is folded stays out --------------------
addEventListener("beforeprint", () => {
  printing = true;
  root.classList.add("printing");
  applyTheme();
  for (const plot of plots) if (shown(plot)) draw(plot);
});
addEventListener("afterprint", () => {
  printing = false;
  root.classList.remove("printing");
  applyTheme();
  drawAll();
});

// ---- Tables ------------------------------------------------------------------------------------
// "2,468 ± 37" as 2468, "−1.5" as -1.5; words stay words, and what is missing comes last.
function sortable(text) {
  const found = text.replaceAll(",", "").replace("−", "-").match(/^[^\d-]{0,3}(-?\d+(\.\d+)?(e[+-]?\d+)?)/i);
  return found ? Number(found[1]) : text === "–" || text === "" ? null : text.toLowerCase();
}
function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
function sortBy(table, place) {
  const heading = table.tHead.rows[0].cells[place];
  const down = heading.getAttribute("aria-sort") === "ascending";
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows].map((row) => [sortable(row.cells[place].textContent.trim()), row]);
  rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : (down ? -1 : 1) * compare(a, b)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}
for (const box of all(".table")) {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  [...table.tHead.rows[0].cells].forEach((cell, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    button.addEventListener("click", () => sortBy(table, place));
    cell.append(button);
  });
  const input = box.querySelector(".filter input");
  if (!input) continue;
  const count = box.querySelector(".count");
  const filter = () => {
    const words = input.value.toLowerCase().split(",").map((part) => part.trim());
    for (const row of rows) row.hidden = !words.every((part) => row.textContent.toLowerCase().includes(part));
    const left = rows.filter((row) => !row.hidden).length;
    count.textContent = left === rows.length ? `${left} rows` : `${left} of ${rows.length} rows`;
  };
  input.addEventListener("input", filter);
  filter();
}

// ---- Downloads ---------------------------------------------------------------------------------
for (const button of all("[data-file]"))
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([known.files[button.dataset.file]], { type: "text/csv" }));
    link.download = button.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

// ---- The read-out of a strip's marks --------------------------------------------------------------
const told = document.getElementById("told");
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest ? event.target.closest("[data-told]") : null;
  told.hidden = !mark;
  if (!mark) return;
  told.textContent = mark.dataset.told;
  const width = told.offsetWidth, height = told.offsetHeight;
  told.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  told.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18}px`;
});

// ---- Contents ----------------------------------------------------------------------------------
const narrow = matchMedia("(max-width: 60rem)");
const contents = document.querySelector(".contents details");
function fold() { contents.open = !narrow.matches; }
fold();
narrow.addEventListener("change", fold);
contents.addEventListener("click", (event) => { if (narrow.matches && event.target.matches("a")) contents.open = false; });
const links = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting) {
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(target.id).setAttribute("aria-current", "true");
    }
}, { rootMargin: "-10% 0px -80% 0px" });
for (const id of links.keys()) { const part = document.getElementById(id); if (part) seen.observe(part); }
