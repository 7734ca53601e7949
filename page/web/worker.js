// The worker: reads parts of the file for the module, and calls it.
"use strict";
const reader = new FileReaderSync();
let file, module;

// Of a file that cannot be read synchronously: the parts that were fetched, and the ranges that the last call missed.
const MOST_BYTES = 64 << 20;
let parts = [];
let missing = [];
// A missing range is fetched with the bytes after it, more of them each time.
const AHEAD = 256 << 10;
let ahead = AHEAD;

// Reads bytes of the file into the module's memory, and returns their number.
function read(offset, address, length) {
  try {
    const out = new Uint8Array(module.memory.buffer, address >>> 0, length >>> 0);
    const start = Number(offset);
    const bytes = file instanceof Blob ? new Uint8Array(reader.readAsArrayBuffer(file.slice(start, start + out.length))) : known(start, out);
    out.set(bytes);
    return bytes.length;
  } catch {
    return 0;
  }
}

// Returns bytes that were fetched. Zeros stand for others until the call has ended, so that one call finds all that it misses.
function known(start, out) {
  const part = parts.find((part) => start >= part.start && start < part.start + part.bytes.length);
  if (part) return part.bytes.subarray(start - part.start, start - part.start + out.length);
  missing.push([start, out.length]);
  return out.fill(0);
}

const questions = new Map();
let lastId = 0;

// Asks the page for a part of the file.
function part(start, length) {
  return new Promise((done, fail) => {
    questions.set(++lastId, { done, fail });
    postMessage({ read: lastId, offset: start, length });
  });
}

async function fetchMissing() {
  if (missing.length === 1) {
    missing[0][1] = Math.max(missing[0][1], ahead);
    ahead = Math.min(2 * ahead, MOST_BYTES);
  }
  const ends = missing.map(([start, length]) => Math.min(start + length, file.size));
  const bytes = await Promise.all(missing.map(([start], i) => part(start, ends[i] - start)));
  bytes.forEach((bytes, i) => {
    if (bytes.length === 0) throw new Error("the file became shorter; open it again");
    parts.push({ start: missing[i][0], bytes });
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Makes a call of the module.
function run([name, ...args]) {
  const line = encoder.encode([`view-${name}`, ...args].map((text) => `${String(text).replaceAll("\0", "")}\0`).join(""));
  // First the call: it may move the memory.
  const at = module.arguments(line.length) >>> 0;
  new Uint8Array(module.memory.buffer, at, line.length).set(line);
  const isAnswer = module.call();
  const answer = JSON.parse(decoder.decode(new Uint8Array(module.memory.buffer, module.text() >>> 0, module.text_length() >>> 0)));
  return isAnswer ? answer : { error: answer.message };
}

// The calls that opened what is shown. After bytes were missing, they are made again, because zeros were read instead.
let opened = [];

async function answer(name, args) {
  if (name === "open") {
    file = args[0];
    args = [file.name];
    parts = [];
    opened = [];
  }
  if (parts.reduce((all, { bytes }) => all + bytes.length, 0) > MOST_BYTES) parts = [];
  const before = name === "member" ? opened.slice(0, 1) : opened;
  const call = [name, ...args];
  ahead = AHEAD;
  for (missing = []; ; missing = []) {
    const found = run(call);
    if (!missing.length) {
      if (name === "open" || name === "member") opened = [...before, call];
      return found;
    }
    do {
      await fetchMissing();
      missing = [];
      before.forEach(run);
    } while (missing.length);
  }
}

// Reads a small array, so that the browser has compiled the functions before it is asked for a file.
async function warm() {
  const header = "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }\n";
  await answer("open", [new File(["\u0093NUMPY", "\x01\0", String.fromCharCode(header.length), "\0", header, "\0".repeat(8)].map(latin1), "x.npy")]);
  await answer("rows", [0, 1]);
}

const latin1 = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));

async function work({ compiled, id, call, args }) {
  if (compiled) {
    module = new WebAssembly.Instance(compiled, { npy: { size: () => BigInt(file.size), read } }).exports;
    await warm();
    postMessage({ id: 0, answer: {} });
    return;
  }
  let found;
  try {
    found = await answer(call, args);
  } catch (error) {
    const isOver = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    const reason = isOver ? `the page ran out of memory or failed (${error.message})` : error.message;
    found = { error: `The file cannot be shown: ${reason}.`, is_over: isOver };
  }
  postMessage({ id, answer: found });
}

// Calls are made one after the other.
let turn = Promise.resolve();
onmessage = ({ data }) => {
  const question = questions.get(data.read);
  if (!question) {
    turn = turn.then(() => work(data));
    return;
  }
  questions.delete(data.read);
  if (data.error === undefined) question.done(new Uint8Array(data.bytes));
  else question.fail(new Error(data.error));
};
