// A server that answers rows of a file as JSON: `node server.mjs FILE.npy`, then /?from=10&to=20. Only those rows are read.
import { createServer } from "node:http";
import { open } from "npy-core";

const file = await open(process.argv[2]);

const server = createServer(async (request, response) => {
  const query = new URL(request.url, "http://localhost").searchParams;
  try {
    const rows = await file.read({ rows: [Number(query.get("from") ?? 0), Number(query.get("to") ?? 10)] });
    const text = JSON.stringify(rows.toNested(), (_, value) => (typeof value === "bigint" ? String(value) : value));
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  } catch (error) {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ kind: error.kind, message: error.message }));
  }
});

server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
