// A small server for files, which counts requests and the bytes that it sends.
import { closeSync, createReadStream, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

/** Serves a folder. `hasRanges`, `hidesSize` and `status` may be changed. */
export async function serve(folder) {
  const state = { requests: 0, bytes: 0, hasRanges: true, hidesSize: false, status: 0, folder, done: undefined, close: undefined, url: "" };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (request.method === "POST") {
      let text = "";
      request.on("data", (part) => (text += part));
      request.on("end", () => {
        response.end();
        state.done?.(JSON.parse(text));
      });
      return;
    }
    state.requests += 1;
    answer(join(state.folder, decodeURIComponent(pathname)), request.headers.range, response, state);
  });
  // A connection that ends after some idle seconds may end while a slow test sends its next request.
  server.keepAliveTimeout = 0;
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  state.url = `http://127.0.0.1:${server.address().port}`;
  state.close = () => server.closeAllConnections() ?? server.close();
  return state;
}

function answer(path, range, response, state) {
  if (state.status || !existsSync(path)) {
    response.writeHead(state.status || 404).end();
    return;
  }
  const type = { "content-type": TYPES[extname(path)] ?? "application/octet-stream" };
  const asked = state.hasRanges && /^bytes=(\d*)-(\d*)$/.exec(range ?? "");
  if (!asked) {
    response.writeHead(200, type);
    createReadStream(path).pipe(response);
    return;
  }
  const file = openSync(path, "r");
  const { size, mtimeMs } = fstatSync(file);
  const from = asked[1] === "" ? Math.max(size - Number(asked[2]), 0) : Number(asked[1]);
  const to = Math.min(asked[1] !== "" && asked[2] !== "" ? Number(asked[2]) + 1 : size, size);
  if (from >= to) {
    response.writeHead(416, { "content-range": `bytes */${size}` }).end();
  } else {
    const part = Buffer.alloc(to - from);
    readSync(file, part, 0, part.length, from);
    state.bytes += part.length;
    response.writeHead(206, { ...type, "content-range": `bytes ${from}-${to - 1}/${state.hidesSize ? "*" : size}`, "content-length": part.length, etag: `"${mtimeMs}"` }).end(part);
  }
  closeSync(file);
}
