import { createHash } from "node:crypto";
import { z } from "zod";
import { isOwnNote } from "@/server/evidence/chain/note-signature";
import { signStatement } from "@/server/evidence/checkpoints/stored-note";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { manifestText, parseManifest } from "@/server/evidence/tree/statement";

/** The file beside an object of an archive: what it holds and what stands before it, signed as a note. */
const manifest = z.strictObject({
  format: z.literal("trailmark-archive"),
  version: z.literal(1),
  origin: z.string(),
  orgId: z.string(),
  object: z.string(),
  /** SHA-256 of the object's bytes as they are stored, in hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int(),
  rows: z.int(),
  first: z.int(),
  last: z.int(),
  /** The digest of the object before it; null for the first. */
  previous: z.string().nullable(),
  /** The signed checkpoint that covers the entries. */
  checkpoint: z.string(),
  etag: z.string().nullable(),
  versionId: z.string().nullable(),
  lock: z.strictObject({ mode: z.string(), until: z.string() }).nullable(),
});
export type Manifest = z.output<typeof manifest>;

const file = z.strictObject({ manifest, note: z.string() });

export const manifestKey = (objectKey: string): string => objectKey.replace(/\.ndjson\.gz$/, ".manifest.json");

/** The signed bytes: the manifest as JSON without spaces. */
const digestOf = (value: Manifest): Buffer => createHash("sha256").update(JSON.stringify(value)).digest();

export function writeManifest(value: Manifest): string {
  const { origin } = value;
  const note = signStatement(origin, manifestText({ origin, digest: digestOf(value) }));
  return `${JSON.stringify({ manifest: value, note })}\n`;
}

/** A manifest and its note, which is not checked yet; null when the text is none. */
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

/** A manifest that this installation signed; null for anything else. */
export function readOwnManifest(text: string): Manifest | null {
  const found = readManifest(text);
  return found && isOwnNote(found.note, found.manifest.origin) ? found.manifest : null;
}
