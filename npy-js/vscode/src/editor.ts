// The editor: shows the page, and sends it the parts of the file that it asks for.
import * as vscode from "vscode";
import { NpyDocument } from "./document";
import { withPolicy } from "./page";

/** A message of the page: that it is ready, or a part of the file that it needs. */
interface Message {
  ready?: boolean;
  read?: number;
  offset?: unknown;
  length?: unknown;
}

export class NpyEditor implements vscode.CustomReadonlyEditorProvider<NpyDocument> {
  readonly #page: () => Promise<string>;

  /** `page` returns the HTML of `cargo xtask page`. */
  constructor(page: () => Promise<string>) {
    this.#page = page;
  }

  openCustomDocument(uri: vscode.Uri): Promise<NpyDocument> {
    return NpyDocument.open(uri);
  }

  async resolveCustomEditor(document: NpyDocument, panel: vscode.WebviewPanel): Promise<void> {
    const { webview } = panel;
    const show = (): Thenable<boolean> => webview.postMessage({ open: { name: document.name, size: document.size } });
    const received = webview.onDidReceiveMessage((message: Message) => (message.ready ? show() : answer(document, message, webview)));
    const watcher = watch(document, show);
    panel.onDidDispose(() => {
      received.dispose();
      watcher.dispose();
    });
    webview.options = { enableScripts: true, localResourceRoots: [] };
    webview.html = withPolicy(await this.#page());
  }
}

/** Sends a part of the file, or the reason why there is none. */
async function answer(document: NpyDocument, { read, offset, length }: Message, webview: vscode.Webview): Promise<void> {
  try {
    await webview.postMessage({ read, bytes: await document.read(offset, length) });
  } catch (error) {
    await webview.postMessage({ read, error: error instanceof Error ? error.message : String(error) });
  }
}

/** Shows the file again when it changes. */
function watch(document: NpyDocument, show: () => Thenable<boolean>): vscode.Disposable {
  const folder = vscode.Uri.joinPath(document.uri, "..");
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, document.name));
  const again = async (): Promise<void> => {
    // A file that is gone for a moment will be created again.
    await document.reopen().then(show, () => {});
  };
  watcher.onDidChange(again);
  watcher.onDidCreate(again);
  return watcher;
}
