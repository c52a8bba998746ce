import type { IncomingMessage, ServerResponse } from "node:http";
import { traced } from "@/db/traced";

const RETRY_SECONDS = 5;
const OUR_STATUS = 503;

/** Dark colors, chosen by the system or the user's menu. */
const DARK = `color-scheme: dark; --ground: #0e1317; --panel: #151b21; --line: #252e36; --edge: #313b44; --ink: #dce3e8;
  --quiet: #9aa7b1; --accent: #6cc0bb; --hover: #262f37; --tick: #0e1317;`;

/** Colors and sizes copied from components/ui and the entrance, whose files have unknown names. */
const STYLE = `
:root { color-scheme: light; --ground: #f4f6f7; --panel: #ffffff; --line: #e1e6e9; --edge: #cfd7dc; --ink: #182027;
  --quiet: #56626d; --accent: #0d6361; --hover: #f1f5f6; --tick: #ffffff; }
@media (prefers-color-scheme: dark) { :root:not([data-scheme="light"]) { ${DARK} } }
:root[data-scheme="dark"] { ${DARK} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 0.875rem/1.45 "Inter Variable", Inter, system-ui, sans-serif; }
main { display: grid; place-items: center; min-height: 100dvh; padding: 24px 16px; }
div { width: 100%; max-width: 420px; padding: 32px; border: 1px solid var(--line); border-radius: 12px; background: var(--panel); }
.brand { display: flex; align-items: center; gap: 12px; margin: 0 0 24px; color: var(--accent); }
.brand span { color: var(--ink); font-size: 1.25rem; font-weight: 600; letter-spacing: -0.015em; }
h1 { margin: 0 0 4px; font-size: 1.25rem; font-weight: 600; line-height: 1.75rem; }
p { margin: 0 0 12px; color: var(--quiet); }
a { display: inline-block; margin-top: 8px; padding: 8px 18px; border: 1px solid var(--edge); border-radius: 6px; color: var(--ink);
  font-size: 0.8125rem; font-weight: 600; text-decoration: none; }
a:hover { background: var(--hover); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }`;

/** Applies the reader's color scheme, then polls the page and reloads when it is available. */
const SCRIPT = `
try { document.documentElement.dataset.scheme = localStorage.getItem("mantine-color-scheme-value") ?? ""; } catch {}
const again = async () => {
  const answer = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer && answer.status !== ${OUR_STATUS}) location.reload();
  else setTimeout(again, ${RETRY_SECONDS}000);
};
setTimeout(again, ${RETRY_SECONDS}000);`;

const MARK = `<svg width="36" height="36" viewBox="0 0 32 32" fill="none" aria-hidden="true"><g stroke="currentColor"
stroke-width="2.25" opacity=".6"><path d="M7.25 20.5v-4a3 3 0 0 1 3-3h3.5"/><rect x="2.6" y="20.6" width="9.3" height="9.3"
rx="2.6"/></g><rect x="13.5" y="2" width="16.5" height="16.5" rx="4.5" fill="currentColor"/><path d="m18 10.4 2.7 2.7 5-5.6"
stroke="var(--tick)" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Independent of Next, which could not render. */
const pageOf = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The database is away · Trailmark</title>
<link rel="icon" href="/icon.svg">
<style nonce="${nonce}">${STYLE}</style>
<script nonce="${nonce}">${SCRIPT}</script>
</head>
<body>
<main>
<div>
<p class="brand">${MARK}<span>Trailmark</span></p>
<h1>The database is away</h1>
<p>Trailmark is running, but its database does not answer, so this page cannot be shown.</p>
<p role="status">The page tries again every ${RETRY_SECONDS} seconds and opens when it can. If this lasts, tell the operator of this installation.</p>
<a href="">Try again</a>
</div>
</main>
</body>
</html>
`;

const METHODS = ["writeHead", "write", "end", "flushHeaders"] as const;

/**
 * Renders a page; if Next would answer 500 because the database is unreachable, sends 503 with this page instead and
 * drops what Next writes.
 */
export function orAwayPage<T>(incoming: IncomingMessage, outgoing: ServerResponse, render: () => T): T {
  const request = traced.getStore();
  const own = outgoing.getHeaders();
  const { writeHead, end } = outgoing;
  let isAnswered = false;
  const answer = () => {
    isAnswered = true;
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
    const body = Buffer.from(pageOf(String(incoming.headers["x-nonce"])));
    const headers = {
      ...own,
      "content-type": "text/html; charset=utf-8",
      "content-length": body.length,
      "cache-control": "no-store",
      "retry-after": RETRY_SECONDS,
    };
    Reflect.apply(writeHead, outgoing, [OUR_STATUS, "Service Unavailable", headers]);
    Reflect.apply(end, outgoing, [body]);
  };
  for (const name of METHODS) {
    const method = outgoing[name];
    const value = (...args: unknown[]) => {
      const status = name === "writeHead" ? args[0] : outgoing.statusCode;
      if (!isAnswered && status === 500 && request?.databaseAway && !outgoing.headersSent) answer();
      if (isAnswered) return name === "write" ? true : outgoing;
      return Reflect.apply(method, outgoing, args);
    };
    Object.defineProperty(outgoing, name, { value, configurable: true, writable: true });
  }
  return render();
}
