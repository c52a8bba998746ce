import { createReadStream } from "node:fs";
import type { z } from "zod";
import { originOf } from "@/server/ground/client-ip";
import type { Download } from "@/server/ground/download";
import { partOf, toBody } from "@/server/ground/download";
import { inStrangersTurn } from "@/server/ground/limits/concurrency";
import { limit } from "@/server/ground/limits/windows";
import type { Answer } from "./answer";
import { answered } from "./problem";
import { queryOf, requireKnown } from "./query";
import type { RouteContext } from "./route";

/** Weak or strong, listed or `*`: GET compares them alike. */
const matches = (header: string | null, etag: string): boolean =>
  header?.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag) ?? false;

function fileAnswer(
  { method, headers: sent }: Request,
  { path, bytes }: { path: string; bytes: number },
  given: Record<string, string> & { ETag: string },
) {
  const wanted = { size: bytes, etag: given.ETag, range: sent.get("range"), ifRange: sent.get("if-range") };
  const { first: start, last: end, status, headers: ofPart } = partOf(wanted);
  const headers = { ...given, ...ofPart };
  if (method === "HEAD") return { status, headers, body: null };
  return new Response(toBody(createReadStream(path, { start, end })), {
    status,
    headers: { ...headers, "X-Stream": "file" },
  });
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
