import { createReadStream } from "node:fs";
import type { z } from "zod";
import { originOf } from "@/server/ground/client-ip";
import type { Download } from "@/server/ground/download";
import { toBody } from "@/server/ground/download";
import { inStrangersTurn } from "@/server/ground/limits/concurrency";
import { limit } from "@/server/ground/limits/windows";
import type { Answer } from "./answer";
import { answered } from "./problem";
import { queryOf, requireKnown } from "./query";
import type { RouteContext } from "./route";

type Span = { from: number; to: number };

/**
 * The single range of a Range header (RFC 9110, section 14): from a byte on, between two, or the last ones.
 * @returns undefined for none or several, which is answered in full; null for an empty one
 */
function spanOf(header: string | null, size: number): Span | null | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < from) return undefined;
  return from <= to && from < size ? { from, to } : null;
}

/** Weak or strong, listed or `*`: GET compares them alike. */
const matches = (header: string | null, etag: string): boolean =>
  header?.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag) ?? false;

/** A range applies if the caller's part is of the same file. */
const wantsPart = (headers: Headers, etag: string): boolean => [null, etag].includes(headers.get("if-range"));

function fileAnswer(
  request: Request,
  file: Download & { path: string; bytes: number },
  headers: Record<string, string>,
) {
  const { path, bytes } = file;
  const span = wantsPart(request.headers, headers.ETag ?? "") ? spanOf(request.headers.get("range"), bytes) : undefined;
  if (span === null) return { status: 416, headers: { "Content-Range": `bytes */${bytes}` }, body: null };
  const { from, to } = span ?? { from: 0, to: bytes - 1 };
  const sent = {
    ...headers,
    "Accept-Ranges": "bytes",
    "Content-Length": String(to - from + 1),
    ...(span && { "Content-Range": `bytes ${from}-${to}/${bytes}` }),
  };
  const status = span ? 206 : 200;
  if (request.method === "HEAD") return { status, headers: sent, body: null };
  const stream = toBody(createReadStream(path, { start: from, end: to }));
  return new Response(stream, { status, headers: { ...sent, "X-Stream": "file" } });
}

async function give(request: Request, file: Download): Promise<Answer | Response> {
  const etag = `"${file.sha256}"`;
  const headers = { "Content-Type": file.type, "Cache-Control": "public, no-cache", ETag: etag, ...file.headers };
  if (matches(request.headers.get("if-none-match"), etag)) return { status: 304, headers, body: null };
  return "path" in file ? fileAnswer(request, file, headers) : { status: 200, headers, body: file.body };
}

/**
 * GET and HEAD of a public download: revalidated by digest, limited by address and in its network's turn, resumable.
 * Errors of `find` are answered as usual.
 * @param input of an operation of the API: it takes no other parameters
 */
export function download(find: (name: string) => Promise<Download>, input?: z.ZodType) {
  const answer = async (request: Request, { params }: Partial<RouteContext> = {}): Promise<Answer | Response> => {
    const { ip } = originOf(request);
    const { file = "" } = (await params) ?? {};
    return inStrangersTurn(ip, async () => {
      await limit("download", ip);
      if (input) requireKnown(queryOf(request.url), input);
      return give(request, await find(String(file)));
    });
  };
  return (request: Request, context?: Partial<RouteContext>) => answered(() => answer(request, context));
}
