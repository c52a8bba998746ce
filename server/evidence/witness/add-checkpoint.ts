import {
  checkSignature,
  concatBytes,
  cosignedMessage,
  formatNote,
  fromBase64,
  keyForOrigin,
  type NoteSignature,
  type NoteTools,
  parseNote,
  type SignedNote,
  secondsToBytes,
  type VerifierKey,
} from "@/server/evidence/tree/signed-note";
import { parseCheckpoint, type TreeCheckpoint } from "@/server/evidence/tree/statement";
import { emptyRoot, equalBytes, HASH_BYTES, verifyConsistency } from "@/server/evidence/tree/tree";

/**
 * Witness judgment (c2sp.org/tlog-witness, add-checkpoint): cosigns a checkpoint only if it extends the log seen
 * before. Pure: state is passed in and returned.
 */

/** Newest cosigned checkpoint of an origin. */
export type Seen = { size: number; root: Uint8Array };
export type Cosigner = { key: VerifierKey; sign: (message: Uint8Array) => Uint8Array };

export type Request = { older: number; proof: Uint8Array[]; note: SignedNote; checkpoint: TreeCheckpoint };
export type Answer =
  | { status: 200; body: string; keep: { origin: string; note: string } }
  | { status: 409; body: string; type: "text/x.tlog.size" }
  | { status: 400 | 403 | 404 | 422; body: string };

const MAX_HASHES = 63;
const OLD = /^old (0|[1-9]\d{0,14})$/;

/** Parses a request's body; null if malformed. */
export function parseRequest(body: string): Request | null {
  const split = body.indexOf("\n\n");
  if (split < 0) return null;
  const [first, ...lines] = body.slice(0, split).split("\n");
  const older = OLD.exec(first ?? "")?.[1];
  const proof = lines.map(fromBase64).filter((hash): hash is Uint8Array => hash?.length === HASH_BYTES);
  const note = parseNote(body.slice(split + 2));
  const checkpoint = note && parseCheckpoint(note.text);
  if (older === undefined || proof.length !== lines.length || lines.length > MAX_HASHES || !checkpoint) return null;
  return { older: Number(older), proof, note, checkpoint };
}

/** Keys of a witness for an origin: the most specific name wins. */
function keysFor(tools: NoteTools, logs: readonly VerifierKey[], origin: string): VerifierKey[] {
  return logs.map((key) => keyForOrigin(tools.sha256, key, origin)).filter((key) => key !== null);
}

/** Signatures of the log itself, one per key, because strangers may fill up the note's limit. */
const linesOf = (keys: readonly VerifierKey[], { signatures }: SignedNote): NoteSignature[] =>
  keys
    .map((key) => signatures.find(({ name, id }) => name === key.name && id === key.id))
    .filter((line, at, all): line is NoteSignature => line !== undefined && all.indexOf(line) === at);

/**
 * @param seen last checkpoint cosigned for this origin; null without one
 * @param seconds now, in seconds since 1970 UTC
 */
export function judge(
  tools: NoteTools,
  {
    request,
    logs,
    seen,
    cosigner,
    seconds,
  }: {
    request: Request;
    logs: readonly VerifierKey[];
    seen: Seen | null;
    cosigner: Cosigner;
    seconds: number;
  },
): Answer {
  const { older, proof, note, checkpoint } = request;
  const keys = keysFor(tools, logs, checkpoint.origin);
  if (keys.length === 0) return { status: 404, body: "This witness does not know the log.\n" };
  const checks = keys.map((key) => checkSignature(tools, note, key));
  if (checks.includes("bad") || !checks.includes("good"))
    return { status: 403, body: "No trusted key of the log signed the checkpoint.\n" };
  const { size, root } = checkpoint;
  if (older > size) return { status: 400, body: `A log of ${size} entries has no older size ${older}.\n` };
  const known = seen ?? { size: 0, root: emptyRoot(tools.sha256) };
  if (older !== known.size) return { status: 409, body: `${known.size}\n`, type: "text/x.tlog.size" };
  if (!verifyConsistency(tools.sha256, { older, size, olderRoot: known.root, root, proof }))
    return {
      status: 422,
      body:
        older === size && !equalBytes(known.root, root)
          ? "Another log of this size was cosigned before.\n"
          : "The log that was cosigned before is not a beginning of this one.\n",
    };
  const signature = cosigner.sign(cosignedMessage(note.text, seconds));
  const line = {
    name: cosigner.key.name,
    id: cosigner.key.id,
    bytes: concatBytes(secondsToBytes(seconds), signature),
  };
  const cosigned = formatNote("", [line]).slice(1);
  return {
    status: 200,
    body: cosigned,
    keep: { origin: checkpoint.origin, note: `${formatNote(note.text, linesOf(keys, note))}${cosigned}` },
  };
}
