import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { asFile, type Download } from "@/server/ground/download";
import { AppError } from "@/server/ground/errors";

/** The API reference: components/docs and Scalar's bundle, copied by the build (scripts/build.mjs). */
const FOLDER = join(process.cwd(), "dist", "docs");

/** Scalar adds style elements, which require 'unsafe-inline'; scripts and requests are limited to this server. */
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

/** The files, read once. */
const files = new Map<string, Promise<Download>>();

function fileOf(name: string, type: string): Promise<Download> {
  const file = files.get(name) ?? readFile(join(FOLDER, name), "utf8").then((text) => asFile(type, text));
  files.set(name, file);
  file.catch(() => files.delete(name));
  return file;
}

/** The page at /docs. @throws Error when it was not built */
export const referencePage = async (): Promise<Download> => ({
  ...(await fileOf("index.html", "text/html; charset=utf-8")),
  headers: { "Content-Security-Policy": POLICY },
});

/** A script or style of the page. @throws AppError not_found */
export async function referenceFile(name: string): Promise<Download> {
  const type = TYPES[extname(name)];
  const file = type && /^[a-z]+\.[a-z]+$/.test(name) && (await fileOf(name, type).catch(() => null));
  if (!file) throw new AppError("not_found", "The API reference has no such file.");
  return file;
}
