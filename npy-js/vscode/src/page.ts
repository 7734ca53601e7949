// The page with the policy of an editor: only its own scripts and styles run, which have a number that is new each time.
import { randomBytes } from "node:crypto";

/** The colors of the editor's theme, in the variables of the page. */
const COLORS = `body {
  --text: var(--vscode-editor-foreground); --quiet: var(--vscode-descriptionForeground); --line: var(--vscode-panel-border);
  --back: var(--vscode-editor-background); --panel: var(--vscode-textCodeBlock-background); --accent: var(--vscode-textLink-foreground);
  --problem: var(--vscode-errorForeground);
}`;

/** Returns the page with the policy, and with the colors of the editor. */
export function withPolicy(page: string): string {
  const nonce = randomBytes(18).toString("base64");
  const policy = `default-src 'none'; script-src 'nonce-${nonce}' 'wasm-unsafe-eval'; worker-src blob:; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  const marked = page
    .replace(/(<meta http-equiv="Content-Security-Policy" content=")[^"]*"/, (_, start: string) => `${start}${policy}"`)
    .replace(/<(script|style)(?=[ >])/g, (tag) => `${tag} nonce="${nonce}"`);
  return marked.replace("</head>", () => `<style nonce="${nonce}">${COLORS}</style>\n</head>`);
}
