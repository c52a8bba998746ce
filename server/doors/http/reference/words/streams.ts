import { ORG, THING, TIME } from "./samples";
import type { WordTable } from "./table";

const CONFIG = { url: "https://siem.example.com/ingest" };
const FILTER = { excludeActions: ["agent.eventlogs.submit"] };

/** Streams of entries to other systems. */
export const STREAMS: WordTable[] = [
  {
    path: "/streams",
    request: {
      "@query.orgId": "Only streams of this organization; by default all that carry the caller's entries",
      id: ["Identifies the stream", THING],
      orgId: ["Only entries of this organization; null or left out: of all that the caller can see", ORG],
      name: ["Name of the stream", "SIEM"],
      kind: ["Where the entries go", "https"],
      config: ["Settings of the destination, without its secret", CONFIG],
      secret: ["The destination's secret: a token, a key, or the value of the header Authorization", "Bearer f81d4fae"],
      format: ["How an entry is written", "native"],
      filter: ["Which entries are sent, by the parameters of the audit list", FILTER],
      start: ["With which entry it begins: now, beginning, or the oldest of a time", "now"],
      holdDays: ["For how many days at most retention waits for this stream; null: it does not wait", null],
      locked: ["Whether only those who reach all of the partner's organizations may change it", false],
      overlapSeconds: ["For how many seconds the former secret is used as well; 0 for not at all", 3600],
    },
    response: {
      data: "The streams of the page, newest first",
      id: ["Identifies the stream", THING],
      name: ["Name of the stream", "SIEM"],
      kind: ["Where the entries go", "https"],
      target: ["The receiver in a few words", "siem.example.com"],
      acknowledges: ["Whether the receiver confirms what it stored", true],
      config: ["Settings of the destination; null where the caller reaches less than it carries", CONFIG],
      format: ["How an entry is written", "native"],
      filter: ["Which entries are sent", FILTER],
      orgId: ["The organization; null: all of the partner's, new ones included", ORG],
      holdDays: ["For how many days at most retention waits for this stream; null: it does not wait", null],
      locked: ["Whether only those who reach all of the partner's organizations may change it", false],
      state: [
        "draft until a check succeeds; failing is tried again by itself, blocked waits for a person; none loses entries",
        "active",
      ],
      stateCode: ["Why it is failing, blocked or disabled: a status or error code", null],
      stateMessage: ["The same in a sentence", null],
      stateSince: ["Since when it is in this state", TIME],
      lag: "How far the receiver is behind",
      acknowledgedAt: ["When the receiver last acknowledged a batch; null for never", TIME],
      nextAttemptAt: ["When the next attempt is; null where none waits", null],
      checkedAt: ["When the destination was last checked; null for never", TIME],
      formerUntil: ["Until when the former secret is used as well; null for not", null],
    },
  },
  {
    path: "/streams/{id}/replay",
    request: {
      orgId: ["The organization, of a stream that carries several", ORG],
      fromSeq: ["Sequence of the first entry", 1],
      toSeq: ["Sequence of the last entry", 1],
      reason: ["Why, for the audit log", "The index was lost"],
    },
    response: { replayId: ["Marks the batches of this replay", THING] },
  },
  {
    path: "/streams/{id}/check",
    request: { starts: ["Whether success starts a draft, or a stream that waits for a person", true] },
    response: {
      ok: ["Whether every step succeeded", true],
      steps: "The steps as far as they were tried",
      stream: "The stream afterwards",
      step: ["What was tried", "connect"],
      message: ["What was seen", "The receiver answers."],
      ms: ["How many milliseconds it took; null where one answer told it along with another step", 12],
    },
  },
  {
    path: "/streams/preview",
    request: {
      orgId: ["Whose newest entries are shown; by default the caller's first organization", ORG],
      filter: ["Which entries are shown, by the parameters of the audit list", FILTER],
    },
    response: { lines: ["Entries as a receiver gets them", []] },
  },
  {
    path: ["/streams/{id}/batches", "/streams/{id}/gaps"],
    response: {
      data: "Those of the page, newest first",
      id: ["Identifies it", THING],
      orgId: ["Whose entries these are", ORG],
      replayId: ["The replay that it belongs to; null for the live stream", null],
      number: ["Counts the batches of this organization", 7],
      first: ["Sequence of the first entry", 4_812],
      last: ["Sequence of the last entry", 4_815],
      rows: ["Entries that were sent", 4],
      filtered: ["Entries that the filter left out", 0],
      bytes: ["Bytes of the entries before compression", 3_120],
      digest: [
        "SHA-256 over the sequences and checksums of the range, and over the previous batch's digest",
        "9f86d081",
      ],
      attempts: ["How often it was tried", 1],
      code: ["Why the last attempt failed: a status or error code; null where it did not", null],
      error: ["The same in a sentence", null],
      receipt: ["What the receiver gave as proof; null while it is not acknowledged", { status: 200 }],
      acknowledgedAt: ["When the receiver acknowledged it; null while it did not", TIME],
      reason: ["retention removed the entries before they were sent, or the receiver refused them", "retention"],
      message: ["What the receiver said; null without it", null],
    },
  },
];
