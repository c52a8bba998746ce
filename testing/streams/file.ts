import { leafOf } from "@/server/evidence/checkpoints/hashing";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { checkpointText, originOf } from "@/server/evidence/tree/statement";
import { TreeFold } from "@/server/evidence/tree/tree";
import { batchDigest, type Sealed } from "@/server/notify/streams/formats/digest";
import type { BatchMarker, Format, StreamedEntry } from "@/server/notify/streams/formats/format";
import { signText, testKey } from "@/testing/notes";
import { STREAM_HOST } from "./entries";

/** A stream's output as kept by its receiver: a line per entry, and a marker after each batch. */

const SEED = 7;
export const STREAM_KEY = formatVerifierKey(testKey(SEED, STREAM_HOST, ED25519).key);
export const OTHER_KEY = formatVerifierKey(testKey(SEED + 1, STREAM_HOST, ED25519).key);

const sealedOf = ({ entry }: StreamedEntry): Sealed => [entry.chainSeq, entry.checksum];

/** Signed checkpoint over the first entries of a chain. */
export function checkpointOf(chain: readonly StreamedEntry[], size: number): string {
  const fold = new TreeFold(sha256);
  for (const { entry } of chain.slice(0, size)) fold.push(0, leafOf(entry.checksum));
  const origin = chain[0]?.origin ?? "";
  const text = checkpointText({ origin, size, root: fold.root(), signedAt: "2026-11-20T09:00:00.000Z" });
  return signText(text, testKey(SEED, origin, ED25519));
}

type MarkerInput = {
  entries: readonly StreamedEntry[];
  filtered?: readonly number[];
  number?: number;
  over?: Partial<BatchMarker>;
};

/** Marker of a batch of consecutive entries, some filtered out. */
export function markerOf({ entries, filtered = [], number = 1, over = {} }: MarkerInput): BatchMarker {
  const sealed = entries.map(sealedOf);
  const previous = over.previous ?? null;
  const [first, last] = [sealed[0]?.[0] ?? 1, sealed.at(-1)?.[0] ?? 0];
  const left = sealed.filter(([seq]) => filtered.includes(seq));
  return {
    type: "trailmark.batch",
    batch: `0194a0b2-0000-7000-9000-${String(number).padStart(12, "0")}`,
    orgId: entries[0]?.entry.orgId ?? "",
    at: "2026-11-20T09:00:01.000Z",
    first,
    last,
    rows: sealed.length - left.length,
    filtered: left,
    previous,
    digest: batchDigest(previous, sealed),
    checkpoint: null,
    ...over,
  };
}

type FileInput = { chain: readonly StreamedEntry[]; format: Format; size: number; filtered?: readonly number[] };

/** Lines of a chain in batches; the last has the signed checkpoint over all entries. */
export function linesOf({ chain, format, size, filtered = [] }: FileInput): string[] {
  const lines: string[] = [];
  let previous: string | null = null;
  for (let at = 0, number = 1; at < chain.length; at += size, number++) {
    const entries = chain.slice(at, at + size);
    const checkpoint = at + size >= chain.length ? checkpointOf(chain, chain.length) : null;
    const marker: BatchMarker = markerOf({ entries, filtered, number, over: { previous, checkpoint } });
    previous = marker.digest;
    const sent = entries.filter(({ entry }) => !filtered.includes(entry.chainSeq));
    lines.push(...sent.map(format.entry), format.marker(marker, originOf(STREAM_HOST, marker.orgId)));
  }
  return lines;
}
