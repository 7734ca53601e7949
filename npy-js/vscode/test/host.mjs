// A host for the extension: the part of the module `vscode` that it uses, and panels whose messages are kept.
import Module, { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

class Uri {
  constructor(scheme, path) {
    Object.assign(this, { scheme, path, fsPath: path });
  }

  static file = (path) => new Uri("file", path);

  static joinPath = (base, ...parts) => new Uri(base.scheme, new URL(parts.join("/"), `${pathToFileURL(base.path)}/`).pathname.replace(/(.)\/$/, "$1"));
}

export const watchers = [];
export const registered = [];

const vscode = {
  Uri,
  RelativePattern: class {
    constructor(base, pattern) {
      Object.assign(this, { base, pattern });
    }
  },
  window: {
    registerCustomEditorProvider: (view, provider, options) => {
      registered.push({ view, provider, options });
      return { dispose() {} };
    },
  },
  workspace: {
    fs: { readFile: async () => Uint8Array.of(1, 2, 3) },
    createFileSystemWatcher: (pattern) => {
      const watcher = { pattern, isDisposed: false, onDidChange: (work) => (watcher.change = work), onDidCreate: (work) => (watcher.create = work), dispose: () => (watcher.isDisposed = true) };
      watchers.push(watcher);
      return watcher;
    },
  },
};

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
/** The folder of the extension; a test of the packed one names where it was unpacked. */
const folder = process.env.NPY_EXTENSION ?? new URL("..", import.meta.url).pathname;

/** Starts the extension, and returns its provider. */
export function start() {
  const { activate } = createRequire(import.meta.url)(join(folder, "dist/extension.js"));
  activate({ extensionUri: Uri.file(folder.replace(/\/$/, "")), subscriptions: [] });
  return registered.at(-1);
}

/** Opens a file in a panel. `send` passes a message of the page, and returns those that were posted. */
export async function show(provider, path, scheme = "file") {
  const document = await provider.openCustomDocument(new Uri(scheme, path));
  let receive;
  let dispose;
  const posted = [];
  const webview = {
    postMessage: async (message) => posted.push(message) > 0,
    onDidReceiveMessage: (work) => {
      receive = work;
      return { dispose() {} };
    },
  };
  await provider.resolveCustomEditor(document, { webview, onDidDispose: (work) => (dispose = work) });
  const send = async (message) => {
    await receive(message);
    return posted.splice(0);
  };
  const close = () => {
    dispose();
    document.dispose();
  };
  return { webview, send, close, posted };
}
