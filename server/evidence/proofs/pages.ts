import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { publishedPolicy } from "@/server/evidence/witnesses/policy-file";

/** Made with the bundles (scripts/proof-pages.mjs); a page's own policy says what it may run and fetch. */
const read = (name: string): Promise<string> => readFile(join(process.cwd(), "dist", name), "utf8");

const page = (text: string): Response =>
  new Response(text, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      // A policy within a page cannot say who may frame it.
      "Content-Security-Policy": "frame-ancestors 'none'",
    },
  });

/** The page that checks proofs of entries as one file. @throws Error when it was not built */
export const offlinePage = async (): Promise<Response> => page(await read("verify-offline.html"));

/** The page of a short link, with the keys that this server publishes. @throws Error when it was not built */
export async function linkedPage(): Promise<Response> {
  const text = await read("proof.html");
  const keys = JSON.stringify(publishedPolicy()).replaceAll("<", "\\u003c");
  return page(
    text.replace("<!-- keys -->", () => `<script type="application/json" id="server-policy">${keys}</script>`),
  );
}
