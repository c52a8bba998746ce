import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Made with the bundles (scripts/offline-page.mjs); its own policy forbids it every request. */
const FILE = join(process.cwd(), "dist", "verify-offline.html");

/** The page that checks proofs of entries as one file. @throws Error when it was not built */
export async function offlinePage(): Promise<Response> {
  return new Response(await readFile(FILE, "utf8"), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      // A policy within a page cannot say who may frame it.
      "Content-Security-Policy": "frame-ancestors 'none'",
    },
  });
}
