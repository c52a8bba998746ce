import { createHash } from "node:crypto";
import { build } from "esbuild";

const BROWSERS = ["chrome103", "firefox115", "safari16.4"];

const sourceOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Script and style of the page, each as one text. */
async function bundle(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["components/proof/offline.tsx"],
    outdir: "dist",
    write: false,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    target: BROWSERS,
    jsx: "automatic",
    alias: { "@": root },
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
    logOverride: { "ignored-directive": "silent" },
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}

/**
 * The page that checks proofs of entries as one file that makes no request at all; its own policy forbids any.
 * @returns the page's text
 */
export async function offlinePage(root) {
  const { script, style } = await bundle(root);
  const policy = `default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Proof of an audit log entry · Trailmark</title>
<style>${style}</style>
</head>
<body>
<main id="root"></main>
<noscript>This page checks proofs by a script of its own; allow scripts for this file.</noscript>
<script>${script}</script>
</body>
</html>
`;
}
