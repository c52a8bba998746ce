import { createServer } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { noteWitnessed, witnessedAgeSeconds } from "@/server/evidence/checkpoints/witnessed";
import { cosignedBy, type Policy } from "@/server/evidence/tree/policy";
import {
  COSIGNATURE,
  concatBytes,
  cosignedMessage,
  ED25519,
  formatNote,
  parseNote,
  secondsToBytes,
} from "@/server/evidence/tree/signed-note";
import { originOf } from "@/server/evidence/tree/statement";
import { noteTools, testKey } from "@/testing/notes";
import { listen } from "@/testing/port-of";
import { checkpointAt, leavesOf, type RunningWitness, startWitness } from "@/testing/proofs/witness";
import { elapsedMs, quickest } from "@/testing/quickest";
import { askWitness, cosign, sender } from "./ask";

const HOST = "trailmark.example";
const HONEST = leavesOf("");
const REWRITTEN = leavesOf("rewritten ");
const ALLOWED_MS = 6_500;

let origin: string;
let running: RunningWitness[];

beforeEach(async () => {
  origin = originOf(HOST, crypto.randomUUID());
  const { key } = testKey(1, HOST, ED25519);
  running = await Promise.all(["w1.example", "w2.example", "w3.example"].map((name) => startWitness(name, [key])));
});
afterEach(() => Promise.all(running.map(({ remove }) => remove())));

const at = (size: number, leaves = HONEST) => checkpointAt(size, { leaves, key: testKey(1, origin, ED25519) });

/** k of the running witnesses. */
function policyOf(threshold: number): Policy {
  const witnesses = running.map(({ witness }) => witness);
  const members = witnesses.map((witness) => ({ kind: "witness", witness }) as const);
  return { logs: [], witnesses, quorum: { kind: "group", group: { name: "all", threshold, members } } };
}
const first = () => running[0] as RunningWitness;

it("collects every witness's cosignature over a growing log", async () => {
  for (const size of [0, 1, 7, 7, 40]) {
    const checkpoint = at(size);
    const found = await cosign(origin, checkpoint, policyOf(3));
    expect(found).toMatchObject({ isWitnessed: true, alarms: [] });
    const note = parseNote(
      formatNote(checkpoint.note.text, [...checkpoint.note.signatures, ...found.signatures]),
    ) as NonNullable<ReturnType<typeof parseNote>>;
    expect(cosignedBy(noteTools, policyOf(3), note).map(({ witness }) => witness.name)).toEqual([
      "w1.example",
      "w2.example",
      "w3.example",
    ]);
  }
});

it("continues without an unreachable witness and includes it once it is back", async () => {
  await cosign(origin, at(3), policyOf(2));
  await first().stop();
  const without = await cosign(origin, at(5), policyOf(2));
  expect(without).toMatchObject({ isWitnessed: true, alarms: [] });
  expect(without.signatures.map(({ name }) => name)).toEqual(["w2.example", "w3.example"]);
  expect(await cosign(origin, at(6), policyOf(3))).toMatchObject({ isWitnessed: false, alarms: [] });
  await first().start();
  expect(await cosign(origin, at(9), policyOf(3))).toMatchObject({ isWitnessed: true });
});

it("retries from the size a witness names, after a restart or lost answer", async () => {
  const [{ witness }, checkpoint] = [first(), at(8)];
  const real = sender();
  const lost = await askWitness(witness, at(5), {
    known: 0,
    send: async (url, body) => {
      await real(url, body);
      throw new Error("connection reset");
    },
  });
  expect(lost).toEqual({ kind: "missing", reason: "connection reset" });
  const asked: string[] = [];
  const outcome = await askWitness(witness, checkpoint, {
    known: 0,
    send: (url, body) => {
      asked.push(body.split("\n", 1)[0] as string);
      return real(url, body);
    },
  });
  expect([outcome.kind, asked]).toEqual(["cosigned", ["old 0", "old 5"]]);
});

it("raises an alarm when history is rewritten or shrinks, even if it grows again", async () => {
  await cosign(origin, at(20), policyOf(2));
  const names = ["w1.example", "w2.example", "w3.example"];
  const alarmsOf = async (checkpoint: ReturnType<typeof at>) => {
    const found = await cosign(origin, checkpoint, policyOf(2));
    expect(found).toMatchObject({ isWitnessed: false, signatures: [] });
    expect(found.alarms.map(({ witness }) => witness)).toEqual(names);
    return found.alarms[0];
  };
  expect(await alarmsOf(at(25, REWRITTEN))).toMatchObject({
    knownSize: 20,
    reason: expect.stringMatching(/^it answered 422/),
  });
  expect(await alarmsOf(at(12))).toMatchObject({ knownSize: 20, reason: "it has cosigned 20 entries" });
  expect(await alarmsOf(at(12, REWRITTEN))).toMatchObject({ knownSize: 20 });
  expect(await alarmsOf(at(20, REWRITTEN))).toMatchObject({ knownSize: 20 });
  expect(await cosign(origin, at(21), policyOf(3))).toMatchObject({ isWitnessed: true, alarms: [] });
});

it("a 409 without a size raises an alarm only if both sizes were equal", async () => {
  const send = async () => ({ status: 409, type: "text/plain; charset=utf-8", body: "" });
  const asked = (known: number) => askWitness(first().witness, at(7), { known, send });
  expect(await asked(7)).toEqual({ kind: "alarm", knownSize: 7, reason: "it answered 409" });
  expect(await asked(5)).toEqual({ kind: "missing", reason: "it answered 409" });
});

it("ignores witnesses with wrong keys, wrong signatures, redirects, or huge or empty answers", async () => {
  const other = await startWitness("w1.example", [testKey(1, HOST, ED25519).key]);
  let answer: [number, Record<string, string>, string] | null = [200, {}, "— w1.example AAAA\n"];
  const odd = createServer((incoming, outgoing) => {
    incoming.resume();
    if (answer) outgoing.writeHead(answer[0], answer[1]).end(answer[2]);
  });
  const witness = { ...first().witness, url: `http://127.0.0.1:${await listen(odd)}` };
  const outcome = (known = 0) => askWitness(witness, at(3), { known, send: sender(300) });
  try {
    expect(await askWitness({ ...witness, url: other.witness.url }, at(3), { known: 0 })).toMatchObject({
      kind: "missing",
      reason: "its answer holds no signature of its key",
    });
    for (const odd of [
      [200, {}, "— w1.example AAAA\n"],
      [200, {}, ""],
      [200, {}, "x".repeat(70_000)],
      [302, { Location: "http://127.0.0.1:1/" }, ""],
      [404, {}, "This witness does not know the log.\n"],
      [409, { "Content-Type": "text/plain" }, "2\n"],
      [409, { "Content-Type": "text/x.tlog.size" }, "two\n"],
      [409, { "Content-Type": "text/x.tlog.size" }, "1\n"],
      [500, {}, ""],
      null,
    ] as (typeof answer)[]) {
      answer = odd;
      expect(await outcome(), JSON.stringify(odd)?.slice(0, 100)).toMatchObject({ kind: "missing" });
    }
  } finally {
    odd.closeAllConnections();
    odd.close();
    await other.remove();
  }
});

it("ignores a validly signed cosignature with an impossible time", async () => {
  const checkpoint = at(3);
  const { key, sign } = testKey(2, "w9.example", COSIGNATURE);
  const witness = { name: key.name, key, url: "http://127.0.0.1:1/" };
  const answer = (seconds: number) => {
    const bytes = concatBytes(secondsToBytes(seconds), sign(cosignedMessage(checkpoint.note.text, seconds)));
    const body = formatNote("", [{ name: key.name, id: key.id, bytes }]).trimStart();
    return askWitness(witness, checkpoint, { known: 0, send: async () => ({ status: 200, type: null, body }) });
  };
  expect(await answer(253_402_300_799)).toMatchObject({ kind: "cosigned", seconds: 253_402_300_799 });
  for (const seconds of [253_402_300_800, 10_000_000_000_000])
    expect(await answer(seconds)).toEqual({ kind: "missing", reason: "its signature does not hold" });
});

it("bounds the wait for unresponsive witnesses, asked in parallel once a minute", async () => {
  const silent = createServer(() => {});
  const url = `http://127.0.0.1:${await listen(silent)}`;
  let [witnesses, tries] = [running.map(({ witness }) => witness), 0];
  const ask = (size: number) => cosign(origin, at(size), { ...policyOf(2), witnesses });
  const first = () => {
    // An address that did not answer is left alone for a minute.
    witnesses = running.map(({ witness }) => ({ ...witness, url: `${url}/${tries}` }));
    tries++;
    return elapsedMs(async () => expect(await ask(3)).toEqual({ signatures: [], alarms: [], isWitnessed: false }));
  };
  expect(await quickest(ALLOWED_MS, first)).toBeLessThan(ALLOWED_MS);
  const again = () => elapsedMs(async () => expect(await ask(4)).toMatchObject({ isWitnessed: false }));
  expect(await quickest(1_000, again)).toBeLessThan(1_000);
  silent.closeAllConnections();
  silent.close();
});

it("returns immediately without configured witnesses", async () => {
  expect(await cosign(origin, at(3), null)).toEqual({ signatures: [], alarms: [], isWitnessed: true });
});

it("reports the age of the oldest missing quorum, or 0", () => {
  noteWitnessed(origin, true);
  const base = witnessedAgeSeconds(2_000_000_000_000);
  noteWitnessed("a", false, 1_000_000);
  noteWitnessed("b", false, 1_060_000);
  noteWitnessed("a", false, 1_090_000);
  expect(witnessedAgeSeconds(1_100_000)).toBe(100);
  noteWitnessed("a", true, 1_100_000);
  expect(witnessedAgeSeconds(1_100_000)).toBe(40);
  noteWitnessed("b", true, 1_100_000);
  expect(witnessedAgeSeconds(2_000_000_000_000)).toBe(base);
});
