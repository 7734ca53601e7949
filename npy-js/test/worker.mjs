// A worker that reads a file.
import { readNPY, writeNPY } from "/dist/index.js";

postMessage(readNPY(writeNPY([1, 2, 3])).data.join());
