import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Download } from "@/server/ground/download";
import { AppError } from "@/server/ground/errors";

/** The API reference: components/docs and Scalar's bundle, copied there with the bundles (scripts/build.mjs). */
const FOLDER = join(process.cwd(), "dist", "docs");

/** Scalar adds style elements, which nothing but 'unsafe-inline' allows; scripts and requests are this server's alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** GET /docs. @throws Error when it was not built */
export async function referencePage(): Promise<Response> {
  return new Response(await readFile(join(FOLDER, "index.html"), "utf8"), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Content-Security-Policy": POLICY,
    },
  });
}

/** A script or style of the page. @throws AppError not_found */
export async function referenceFile(name: string): Promise<Download> {
  const type = TYPES[extname(name)];
  const body = type && /^[a-z]+\.[a-z]+$/.test(name) && (await readFile(join(FOLDER, name), "utf8").catch(() => null));
  if (!type || typeof body !== "string") throw new AppError("not_found", "The API reference has no such file.");
  return { type, sha256: createHash("sha256").update(body).digest("hex"), body };
}
