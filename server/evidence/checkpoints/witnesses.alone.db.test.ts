import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { cosignedBy, type Policy } from "@/server/evidence/tree/policy";
import { parseNote, type SignedNote } from "@/server/evidence/tree/signed-note";
import { auditRows, roles } from "@/testing/chain";
import { showOther } from "@/testing/proofs/disputed-log";
import { type RunningWitness, startWitness } from "@/testing/proofs/witness";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { signCheckpoint } from "./sign";
import { ownKeys } from "./stored-note";
import { cosign } from "./witnessed";

let dir: string;
let running: RunningWitness[];
let policy: Policy;
beforeAll(async () => {
  dir = tempFolder();
  withSettings({ TRAILMARK_DATA_DIR: dir });
  running = await Promise.all(["w1.example", "w2.example"].map((name) => startWitness(name, ownKeys())));
  const witnesses = running.map(({ witness }) => witness);
  const members = witnesses.map((witness) => ({ kind: "witness", witness }) as const);
  policy = { logs: [], witnesses, quorum: { kind: "group", group: { name: "both", threshold: 2, members } } };
});
afterAll(async () => {
  await Promise.all(running.map(({ remove }) => remove()));
});

const noteOf = (text: string): SignedNote => {
  const note = parseNote(text);
  if (!note) throw new Error("no note");
  return note;
};

/** The checkpoint of an organization after so many more rows, as it is signed. */
async function signedAfter(orgId: string, rows: number) {
  if (rows > 0) await appendAudit(roles.app, auditRows(orgId, rows));
  const signing = await signCheckpoint(orgId);
  if (signing.kind !== "signed") throw new Error(JSON.stringify(signing));
  return signing.note;
}

it("each witness cosigns each checkpoint by proofs from the tree", async () => {
  const orgId = randomUUID();
  for (const rows of [0, 3, 300, 1]) {
    const { note, disputes } = await cosign(await signedAfter(orgId, rows), policy);
    expect(disputes).toEqual([]);
    expect(cosignedBy(noteTools, policy, noteOf(note)).map(({ witness }) => witness.name)).toEqual([
      "w1.example",
      "w2.example",
    ]);
  }
});

it("reports a witness that saw a longer log and one that saw a different log", async () => {
  const orgId = randomUUID();
  await showOther((running[0] as RunningWitness).witness, orgId, 20);
  const first = await cosign(await signedAfter(orgId, 5), policy);
  expect(first.disputes).toMatchObject([
    { kind: "truncated", seq: 20, expected: expect.stringContaining("w1.example") },
  ]);
  const later = await cosign(await signedAfter(orgId, 30), policy);
  expect(later.disputes).toMatchObject([{ kind: "altered", seq: 20, actual: expect.stringContaining("422") }]);
  expect(cosignedBy(noteTools, policy, noteOf(later.note)).map(({ witness }) => witness.name)).toEqual(["w2.example"]);
});

it("a witness that has seen more of the same chain is no alarm", async () => {
  const orgId = randomUUID();
  const older = await signedAfter(orgId, 5);
  await cosign(await signedAfter(orgId, 5), policy);
  expect(await cosign(older, policy)).toEqual({ note: older.note, disputes: [] });
});
