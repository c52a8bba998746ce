import { createHash } from "node:crypto";
import { build } from "esbuild";

const BROWSERS = ["chrome103", "firefox115", "safari16.4"];
/** Strangers wait for the page: Preact runs the same components at a tenth of React's size. */
const PREACT = {
  react: "preact/compat",
  "react-dom/client": "preact/compat/client",
  "react/jsx-runtime": "preact/jsx-runtime",
};

const sourceOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Script and style of the pages, one text each. */
async function bundle(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["components/proof/page.tsx"],
    outdir: "dist",
    write: false,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    target: BROWSERS,
    jsx: "automatic",
    alias: { "@": root, ...PREACT },
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
    logOverride: { "ignored-directive": "silent" },
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}

/** connect: sources that the page's own policy allows; rest: markup before the script. */
const pageOf = ({ script, style }, { connect, rest }) => {
  const policy = `default-src 'none'; connect-src ${connect}; script-src ${sourceOf(script)}; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>Proof of an audit log entry · Trailmark</title>
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<noscript>This page checks proofs by a script of its own; allow scripts for it.</noscript>
${rest}<script>${script}</script>
</body>
</html>
`;
};

/**
 * Pages that check entry proofs, by file name: as one file without any request, and as the page of a short link, which
 * fetches its proof and gets the server's keys (server/evidence/proofs/pages.ts).
 */
export async function proofPages(root) {
  const bundled = await bundle(root);
  return {
    "verify-offline.html": pageOf(bundled, { connect: "'none'", rest: "" }),
    "proof.html": pageOf(bundled, { connect: "'self'", rest: "<!-- keys -->\n" }),
  };
}
