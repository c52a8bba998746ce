import { asSystem, type Tx } from "@/db/client";
import { readNodes } from "@/server/evidence/checkpoints/nodes";
import { newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { TILE_HEIGHT, TILE_WIDTH } from "@/server/evidence/checkpoints/tiles";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { formatPolicy, witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import { env } from "@/server/ground/env";
import { guid } from "@/server/ground/wire";

type Tile = { level: number; index: number; width: number };

/** tile/L/N[.p/W]: N in groups of three digits, all but the last prefixed with x. */
const TILE = /^tile\/(\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** @returns the tile of a path; null unless it is in canonical form */
export function parseTilePath(path: string): Tile | null {
  const [, level, groups = "", partial] = TILE.exec(path) ?? [];
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (level === undefined || groups.startsWith("x000/") || (partial !== undefined && width >= TILE_WIDTH)) return null;
  const index = Number(groups.replace(/[x/]/g, ""));
  return { level: Number(level), index, width };
}

async function readTile(tx: Tx, orgId: string, { level, index, width }: Tile): Promise<Buffer | null> {
  const size = (await newestCheckpoint(tx, orgId))?.size ?? 0;
  const height = level * TILE_HEIGHT;
  const first = index * TILE_WIDTH;
  // Hashes beyond the signed size are not published.
  if ((first + width) * 2 ** height > size) return null;
  const ids = Array.from({ length: width }, (_, at) => ({ height, index: first + at }));
  const node = await readNodes(tx, { orgId, size, ids });
  return Buffer.concat(ids.map(node));
}

const answer = (body: BodyInit | null, headers: Record<string, string>) =>
  body === null
    ? new Response("Not found.\n", { status: 404, headers: { "Content-Type": "text/plain; charset=utf-8" } })
    : new Response(body, { headers: { "Access-Control-Allow-Origin": "*", ...headers } });

const TEXT = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-cache" };
const BYTES = { "Content-Type": "application/octet-stream", "Cache-Control": "public, max-age=31536000, immutable" };

/** Policy of one organization's log for standard verifiers: its key is named by the log's origin. */
const policyOf = (orgId: string): string =>
  formatPolicy(
    ownKeys(orgId).map((key) => formatVerifierKey(key)),
    witnessPolicy(),
  );

/**
 * GET /log/ORG/…: `policy` always, because it follows from the id; `checkpoint` (the newest signed note) and
 * `tile/L/N[.p/W]` (hashes, never entries) with TRAILMARK_PUBLIC_LOG=on, else 404.
 */
export async function answerPublicLog(id: string, path: string): Promise<Response> {
  const { data: orgId } = guid.safeParse(id);
  if (!orgId) return answer(null, {});
  if (path === "policy") return answer(policyOf(orgId), TEXT);
  if (!env().TRAILMARK_PUBLIC_LOG) return answer(null, {});
  if (path === "checkpoint") return answer((await asSystem((tx) => newestCheckpoint(tx, orgId)))?.note ?? null, TEXT);
  const tile = parseTilePath(path);
  const hashes = tile && (await asSystem((tx) => readTile(tx, orgId, tile)));
  return answer(hashes ? new Uint8Array(hashes) : null, BYTES);
}
