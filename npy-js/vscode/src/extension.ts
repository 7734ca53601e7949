// The entry: says that `.npy` and `.npz` files are shown by the page.
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { NpyEditor } from "./editor";

/** The name of the editor in `package.json`. */
export const VIEW = "npy.view";

export function activate(context: vscode.ExtensionContext): void {
  const path = vscode.Uri.joinPath(context.extensionUri, "media", "npy.html").fsPath;
  const editor = new NpyEditor(() => readFile(path, "utf8"));
  context.subscriptions.push(vscode.window.registerCustomEditorProvider(VIEW, editor, { supportsMultipleEditorsPerDocument: true }));
}
