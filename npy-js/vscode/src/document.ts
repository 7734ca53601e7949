// A file that is shown: its size, and its bytes at any offset.
import { type FileHandle, open } from "node:fs/promises";
import * as vscode from "vscode";

/** The most bytes of one read. The page asks for less. */
const MAX_READ = 1 << 28;

/** Where the bytes are. */
interface Opened {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export class NpyDocument implements vscode.CustomDocument {
  readonly uri: vscode.Uri;
  #opened: Opened;

  private constructor(uri: vscode.Uri, opened: Opened) {
    this.uri = uri;
    this.#opened = opened;
  }

  static async open(uri: vscode.Uri): Promise<NpyDocument> {
    return new NpyDocument(uri, await opened(uri));
  }

  get name(): string {
    return this.uri.path.slice(this.uri.path.lastIndexOf("/") + 1);
  }

  get size(): number {
    return this.#opened.size;
  }

  /** Opens the file again: it may have been replaced, and then the old one is still open. */
  async reopen(): Promise<void> {
    const before = this.#opened;
    this.#opened = await opened(this.uri);
    await before.close();
  }

  /** Returns bytes of the file; fewer if it became shorter. */
  async read(offset: unknown, length: unknown): Promise<Uint8Array> {
    const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
    if (!isNumber(offset) || !isNumber(length) || length > MAX_READ || offset + length > this.size) {
      throw new Error(`${offset} and ${length} are not a range of the ${this.size} bytes of ${this.name}; open the file again`);
    }
    return this.#opened.read(offset, length);
  }

  dispose(): void {
    void this.#opened.close();
  }
}

async function opened(uri: vscode.Uri): Promise<Opened> {
  if (uri.scheme === "file") return onDisk(await open(uri.fsPath, "r"));
  // The other file systems of the editor have no ranges.
  const bytes = await vscode.workspace.fs.readFile(uri);
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length), close: async () => {} };
}

async function onDisk(file: FileHandle): Promise<Opened> {
  const { size } = await file.stat();
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const out = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await file.read(out, at, length - at, offset + at);
      if (bytesRead === 0) return out.subarray(0, at);
      at += bytesRead;
    }
    return out;
  };
  return { size, read, close: () => file.close() };
}
