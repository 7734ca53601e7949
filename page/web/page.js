// The page: asks the worker for parts of the file, and shows them. Text from the file is only ever set as text.
"use strict";
const $ = (id) => document.getElementById(id);
const SECTIONS = ["members", "header", "fields", "imports", "rows", "plot", "struct"];

// The worker, and the questions that it has not answered.
let worker, compiled;
let waiting = new Map();
let lastId = 0;

function start() {
  const code = new Blob([$("worker").textContent], { type: "text/javascript" });
  const url = URL.createObjectURL(code);
  worker = new Worker(url);
  const made = new Promise((done) => (waiting = new Map([[0, done]])));
  const own = worker;
  worker.onmessage = ({ data }) => {
    if (data.read !== undefined) return forward(data, own);
    const { id, answer } = data;
    const done = waiting.get(id);
    waiting.delete(id);
    if (answer.is_over) start();
    done?.(answer);
  };
  worker.postMessage({ compiled });
  return made;
}

// In an editor, the file is at its extension, which sends parts of it.
const host = globalThis.acquireVsCodeApi?.();
const reads = new Map();
let lastRead = 0;

function forward({ read, offset, length }, to) {
  reads.set(++lastRead, (answer) => to.postMessage({ ...answer, read }));
  host.postMessage({ read: lastRead, offset, length });
}

if (host) {
  addEventListener("message", ({ data }) => {
    if (data.open) return choose(data.open);
    reads.get(data.read)?.(data);
    reads.delete(data.read);
  });
  document.querySelector("header").hidden = true;
  host.postMessage({ ready: true });
}

function ask(call, ...args) {
  return new Promise((done) => {
    waiting.set(++lastId, done);
    worker.postMessage({ id: lastId, call, args });
  });
}

async function load() {
  const packed = Uint8Array.from(atob($("module").textContent), (c) => c.charCodeAt(0));
  compiled = await WebAssembly.compile(unpack(packed, Number($("module").dataset.size)));
  await start();
  document.body.dataset.state = "ready";
}

const ready = load()
  .catch((error) => problem(`This browser cannot run the page: ${error.message}`));

// Elements.
function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined && text !== null) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function row(tag, cells) {
  const line = element("tr");
  for (const [text, className] of cells) {
    const cell = element(tag, text instanceof Node ? null : text, className);
    if (text instanceof Node) cell.append(text);
    if (tag === "th") cell.scope = "col";
    line.append(cell);
  }
  return line;
}

function table(section, head, rows) {
  const first = element("thead");
  first.append(row("th", head));
  const body = element("tbody");
  body.append(...rows.map((cells) => row("td", cells)));
  section.querySelector("table").replaceChildren(first, body);
}

// Not `toLocaleString`, whose first call takes longer than all else.
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

function note(section, text) {
  section.querySelector(".note").textContent = text;
}

function problem(text) {
  $("problem").textContent = text;
  $("problem").hidden = false;
  $("status").textContent = "";
}

function hide(ids) {
  for (const id of ids) $(id).hidden = true;
  $("problem").hidden = true;
}

// What is shown.
let file, total, columns, began, name;

async function choose(chosen) {
  began = performance.now();
  await ready;
  // A question about the last file may take long.
  if (waiting.size) {
    worker.terminate();
    start();
  }
  file = chosen;
  name = chosen.name;
  document.title = `${name} – npy`;
  document.body.dataset.state = "busy";
  hide(SECTIONS);
  $("status").textContent = `${name}, ${grouped(file.size)} bytes`;
  const answer = await ask("open", chosen);
  if (file !== chosen) return;
  if (answer.error) problem(answer.error);
  else if (answer.members) members(answer);
  else await array(answer);
  document.body.dataset.state = "done";
}

function members({ members, count, struct }) {
  const section = $("members");
  const rows = members.map((member, index) => {
    const open = element("button", member.name || "(no name)", "link");
    open.type = "button";
    open.onclick = () => choose_member(index, open);
    const { dtype, shape, bytes } = member.header ?? {};
    const size = bytes === null ? "a pickle" : bytes === undefined ? "" : grouped(bytes);
    return [[open], [dtype ?? member.problem ?? ""], [shape ?? ""], [size, "number"]];
  });
  table(section, [["name"], ["dtype"], ["shape"], ["bytes", "number"]], rows);
  note(section, count > members.length ? `Only the first ${grouped(members.length)} of ${grouped(count)} members are listed.` : "");
  section.hidden = false;
  code(struct);
}

async function choose_member(index, button) {
  began = performance.now();
  const chosen = file;
  document.body.dataset.state = "busy";
  hide(SECTIONS.slice(1));
  for (const other of $("members").querySelectorAll("button")) other.removeAttribute("aria-current");
  button.setAttribute("aria-current", "true");
  const answer = await ask("member", index);
  if (file !== chosen) return;
  if (answer.error) problem(answer.error);
  else await array(answer);
  document.body.dataset.state = "done";
}

async function array(answer) {
  const { header } = answer;
  const lines = [
    ["shape", header.shape],
    ["dtype", header.dtype],
    ["order", header.order === "C" ? "C (rows are contiguous)" : "Fortran (columns are contiguous)"],
    ["data", header.bytes === null ? "a pickle" : `${grouped(header.bytes)} bytes, ${grouped(header.itemsize)} for each element`],
    ["format version", header.version],
  ];
  const list = $("header").querySelector("dl");
  list.replaceChildren(...lines.flatMap(([key, value]) => [element("dt", key), element("dd", value)]));
  note($("header"), answer.note ?? "");
  $("header").hidden = false;
  if (header.fields.length) fields(header);
  if (answer.table?.imports) {
    const { imports } = answer.table;
    $("imports").querySelector("ul").replaceChildren(...imports.map((name) => {
      const item = element("li");
      item.append(element("code", name));
      return item;
    }));
    $("imports").hidden = false;
  }
  code(answer.struct);
  if (answer.problem) return problem(answer.problem);
  ({ rows: total, columns } = answer.table);
  columns.has_more = answer.table.more_columns;
  await rows(0);
  const drawn = columns.map((column, index) => [column, index]).filter(([column]) => column.is_drawn);
  $("column").replaceChildren(...drawn.map(([column, index]) => new Option(column.name, index)));
  if (drawn.length && total) await plot();
}

function fields({ fields, more_fields }) {
  const rows = fields.map(({ depth, offset, name, title, dtype, bytes }) => [
    [grouped(offset), "number"], ["  ".repeat(depth) + name], [title ?? ""], [dtype], [grouped(bytes), "number"],
  ]);
  table($("fields"), [["offset", "number"], ["field"], ["title"], ["dtype"], ["bytes", "number"]], rows);
  note($("fields"), more_fields ? `${grouped(more_fields)} more fields are not listed.` : "");
  $("fields").hidden = false;
}

// Shows a range of rows.
let shown = 0;
async function rows(from) {
  const section = $("rows");
  const count = Math.min(Math.max(Math.trunc($("count").valueAsNumber) || 20, 1), 1000);
  from = Math.min(Math.max(Math.trunc(from) || 0, 0), Math.max(total - 1, 0));
  const chosen = file;
  const answer = await ask("rows", from, count);
  if (file !== chosen) return;
  section.hidden = false;
  if (answer.error) return problem(answer.error);
  $("problem").hidden = true;
  shown = answer.rows.length;
  const width = (column) => (column.is_number ? "number" : "");
  table(section, [["row", "number"], ...columns.map((column) => [column.name, width(column)])],
    answer.rows.map((cells, i) => [[grouped(answer.from + i), "number"], ...cells.map((cell, j) => [cell, width(columns[j])])]));
  $("from").value = answer.from;
  $("from").max = Math.max(total - 1, 0);
  $("previous").disabled = answer.from === 0;
  $("next").disabled = $("last").disabled = answer.from + shown >= total;
  const more = columns.has_more ? ` Only the first ${columns.length} columns are shown.` : "";
  note(section, total ? `Rows ${grouped(answer.from)} to ${grouped(answer.from + shown - 1)} of ${grouped(total)}.${more}` : "There are no rows.");
  if (began !== undefined) {
    // The layout is part of the time until rows are seen.
    section.getBoundingClientRect();
    const taken = performance.now() - began;
    began = undefined;
    document.body.dataset.firstRows = taken.toFixed(1);
    $("status").textContent = `${name}, ${grouped(file.size)} bytes; the first rows were here after ${taken.toFixed(0)} ms.`;
  }
}

// Draws a column.
async function plot() {
  const chosen = file;
  const answer = await ask("plot", Number($("column").value));
  if (file !== chosen) return;
  const section = $("plot");
  section.hidden = false;
  const svg = section.querySelector("svg");
  if (answer.error || answer.low === null) {
    svg.replaceChildren();
    return note(section, answer.error ?? "The column has no finite number.");
  }
  const [left, right, top, bottom] = [96, 850, 10, 270];
  let { low, high } = answer;
  if (low === high) [low, high] = [low - 1, high + 1];
  const x = (row) => left + (right - left) * (row / Math.max(answer.rows - 1, 1));
  // Halves, because the range of two large numbers may be infinite.
  const y = (value) => bottom - (bottom - top) * ((value / 2 - low / 2) / (high / 2 - low / 2));
  const made = (tag, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  let path = "";
  let pen = "M";
  for (const [row, least, most] of answer.points) {
    if (least === null) {
      pen = "M";
      continue;
    }
    const at = x(row).toFixed(1);
    path += `${pen}${at} ${y(least).toFixed(1)}` + (most > least ? `L${at} ${y(most).toFixed(1)}` : `L${at} ${y(least).toFixed(1)}`);
    pen = "L";
  }
  svg.setAttribute("aria-label", `${answer.name}: from ${answer.low_label} to ${answer.high_label} in ${grouped(answer.rows)} rows`);
  svg.replaceChildren(
    made("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}`, fill: "none" }),
    made("text", { x: left - 8, y: y(answer.high) + 4, "text-anchor": "end" }, answer.high_label),
    ...(answer.low === answer.high ? [] : [made("text", { x: left - 8, y: bottom, "text-anchor": "end" }, answer.low_label)]),
    made("text", { x: left, y: bottom + 20 }, "row 0"),
    made("text", { x: right, y: bottom + 20, "text-anchor": "end" }, `row ${grouped(answer.rows - 1)}`),
    made("path", { class: "line", d: path }),
  );
  const range = answer.rows > answer.points.length ? `Each point is the least and the greatest value of about ${grouped(Math.round(answer.rows / answer.points.length))} rows` : "";
  note(section, range && range + (answer.is_sampled ? ", of which the first ones were read." : "."));
}

// Shows the struct.
function code(text) {
  if (!text) return;
  $("struct").querySelector("code").textContent = text;
  $("copied").textContent = "";
  $("struct").hidden = false;
}

async function copy() {
  const source = $("struct").querySelector("code");
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection().selectAllChildren(source);
    document.execCommand("copy");
  }
  $("copied").textContent = "Copied.";
}

$("file").onchange = ({ target }) => {
  if (target.files[0]) choose(target.files[0]);
  // So that the same file can be chosen again, after it changed.
  target.value = "";
};
$("rows").querySelector("form").onsubmit = (event) => {
  event.preventDefault();
  rows($("from").valueAsNumber);
};
$("previous").onclick = () => rows($("from").valueAsNumber - Math.max(shown, 1));
$("next").onclick = () => rows($("from").valueAsNumber + Math.max(shown, 1));
$("last").onclick = () => rows(total - Math.max(shown, 1));
$("plot").querySelector("form").onsubmit = (event) => event.preventDefault();
$("column").onchange = plot;
$("copy").onclick = copy;
for (const type of ["dragenter", "dragover"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
}
addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dragging"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dragging");
  if (event.dataTransfer.files[0] && !host) choose(event.dataTransfer.files[0]);
});
