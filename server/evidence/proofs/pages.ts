import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { publishedPolicy } from "@/server/evidence/witnesses/policy-file";

/** Built with the bundles (scripts/proof-pages.mjs); the page's own policy restricts scripts and requests. */
const read = (name: string): Promise<string> => readFile(join(process.cwd(), "dist", name), "utf8");

const page = (text: string): Response =>
  new Response(text, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      // A policy inside a page cannot restrict framing.
      "Content-Security-Policy": "frame-ancestors 'none'",
    },
  });

/** Page that checks entry proofs, as one file. @throws Error if it was not built */
export const offlinePage = async (): Promise<Response> => page(await read("verify-offline.html"));

/** Page of a short link, with this server's published keys. @throws Error if it was not built */
export async function linkedPage(): Promise<Response> {
  const text = await read("proof.html");
  const keys = JSON.stringify(publishedPolicy()).replaceAll("<", "\\u003c");
  return page(
    text.replace("<!-- keys -->", () => `<script type="application/json" id="server-policy">${keys}</script>`),
  );
}
