import { CHECKSUM, THING, TIME } from "./samples";
import type { WordTable } from "./table";

/** Proving that a log is whole. */
export const INTEGRITY: WordTable[] = [
  {
    path: "/audit-logs/integrity",
    request: { orgId: "The organization; may be left out by callers of a single one" },
    response: {
      status: ["The verdict on the range; unproven: nothing contradicts, but reasons names what is missing", "intact"],
      reasons: ["Why it is unproven; empty for any other verdict", []],
      covered: "What a signed checkpoint was shown to cover",
      "covered.firstSeq": ["First sequence that is proven; null for none", 1],
      "covered.lastSeq": ["Last sequence that is proven; null for none", 1204],
      checkpoint: "The checkpoint that covers it; null for none",
      size: ["Entries that the checkpoint covers, from the first", 1204],
      signedAt: ["When the checkpoint was signed", TIME],
      keys: ["Verifier keys that its signature was checked by", ["trailmark.example.com+1f2e3d4c+AbCd"]],
      rowsRead: ["Entries that were read for it, the whole chain where times were given", 1204],
      rowsChecked: ["Entries of the range that were checked", 1204],
      firstSeq: ["First sequence of the range; null where it is empty", 1],
      lastSeq: ["Last sequence of the range; null where it is empty", 1204],
      prunedPrefix: ["The oldest entries that retention has removed; null for none", null],
      throughSeq: ["Last sequence that was removed", 600],
      throughChecksum: ["Checksum of the last entry that was removed; null where it is not known", CHECKSUM],
      head: "The newest entry of the chain; null before the first",
      checksum: ["Checksum of the newest entry", CHECKSUM],
      breaks: ["The first 100 contradictions found; empty unless broken", []],
      "breaks.seq": ["Sequence where the contradiction was found", 1204],
      "breaks.id": ["Id of the entry there; empty where there is none", THING],
      kind: ["What was done to the chain there", "altered"],
      expected: ["What should stand there", CHECKSUM],
      actual: ["What stands there", CHECKSUM],
    },
  },
  {
    path: "/audit-logs/checkpoints",
    request: {
      orgId: "The organization; may be left out by callers of a single one",
      limit: ["How many checkpoints, at most 1,000", 10],
      sign: ["True signs the head now, if it has moved since the last checkpoint", false],
    },
    response: {
      origin: ["Name of the log in its checkpoints", "trailmark.example.com/3f9a1c52"],
      publicKeys: ["Keys that check the signatures, as verifier keys", ["trailmark.example.com+1f2e3d4c+AbCd"]],
      witnesses: ["Names of the witnesses that are asked to cosign each checkpoint", []],
      "data.witnesses": ["The witnesses that have cosigned this checkpoint", []],
      "witnesses.name": ["Name of the witness", "witness.example.org"],
      at: ["When the witness cosigned it", TIME],
      data: "The checkpoints, newest first",
      size: ["Entries that the checkpoint covers, from the first", 1204],
      root: ["Root of the tree over these entries, in base64", "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="],
      signedAt: ["When it was signed", TIME],
      note: ["The checkpoint as a signed note, as it is kept and cosigned", "trailmark.example.com/3f9a1c52\n1204\n"],
    },
  },
  {
    path: ["/audit-logs/evidence", "/audit-logs/integrity"],
    request: {
      fromSeq: "First sequence of the range; not beside from and to",
      toSeq: "Last sequence of the range; not beside from and to",
    },
  },
  {
    path: "/audit-logs/evidence",
    request: {
      orgId: "The organization; may be left out by callers of a single one",
      since: "Size of a checkpoint that you kept: the bundle proves that the log has grown from it",
      despite:
        "alarm: give a bundle of a log under an open alarm, which says so and is never proven; else 409 alarm_open",
    },
  },
  {
    path: "/proof-links",
    request: { token: ["The secret at the end of the link", "tml_9Qw2eRt4yUi6oPa8sDf0gHj2kLz4xCv6bNm8qWe0rT"] },
  },
];
