import { createHash } from "node:crypto";
import { z } from "zod";
import { isOwnNote } from "@/server/evidence/chain/note-signature";
import { signStatement } from "@/server/evidence/checkpoints/stored-note";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { manifestText, parseManifest } from "@/server/evidence/tree/statement";

/** File beside an archived object: its contents and its predecessor, signed as a note. */
const manifest = z.strictObject({
  format: z.literal("trailmark-archive"),
  version: z.literal(1),
  origin: z.string(),
  orgId: z.string(),
  object: z.string(),
  /** SHA-256 of the object's stored bytes, in hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int(),
  rows: z.int(),
  first: z.int(),
  last: z.int(),
  /** Digest of the previous object; null for the first. */
  previous: z.string().nullable(),
  /** Signed checkpoint that covers the entries. */
  checkpoint: z.string(),
  etag: z.string().nullable(),
  versionId: z.string().nullable(),
  lock: z.strictObject({ mode: z.string(), until: z.string() }).nullable(),
});
export type Manifest = z.output<typeof manifest>;

const file = z.strictObject({ manifest, note: z.string() });

export const manifestKey = (objectKey: string): string => objectKey.replace(/\.ndjson\.gz$/, ".manifest.json");

/** Signed bytes: the manifest as JSON without spaces. */
const digestOf = (value: Manifest): Buffer => createHash("sha256").update(JSON.stringify(value)).digest();

export function writeManifest(value: Manifest): string {
  const { origin } = value;
  const note = signStatement(origin, manifestText({ origin, digest: digestOf(value) }));
  return `${JSON.stringify({ manifest: value, note })}\n`;
}

/** A manifest and its unchecked note; null for any other text. */
export function readManifest(text: string): { manifest: Manifest; note: string } | null {
  try {
    const { data } = file.safeParse(JSON.parse(text));
    if (!data) return null;
    const signed = parseManifest(parseNote(data.note)?.text ?? "");
    const isOfIt = signed?.origin === data.manifest.origin && digestOf(data.manifest).equals(signed.digest);
    return isOfIt ? data : null;
  } catch {
    return null;
  }
}

/** A manifest signed by this installation; null for anything else. */
export function readOwnManifest(text: string): Manifest | null {
  const found = readManifest(text);
  return found && isOwnNote(found.note, found.manifest.origin) ? found.manifest : null;
}
