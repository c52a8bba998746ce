import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkCosignature, ED25519, parseNote, toBase64 } from "@/server/evidence/tree/signed-note";
import { checkpointText, originOf } from "@/server/evidence/tree/statement";
import { consistencyProof, rootOf } from "@/server/evidence/tree/tree";
import { signText, testKey, noteTools as tools } from "@/testing/notes";
import { listen } from "@/testing/port-of";
import { leavesOf, nodesOf } from "@/testing/proofs/witness";
import { tempFolder } from "@/testing/temp-folder";
import { createWitness } from "./serve";
import { loadCosigner, nameOf } from "./store";

const HOST = "trailmark.example";
const ORIGIN = originOf(HOST, "0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90");
const installation = testKey(1, HOST, ED25519);
const log = testKey(1, ORIGIN, ED25519);

/** Two histories that part after the third entry. */
const HONEST = leavesOf("");
const REWRITTEN = leavesOf("rewritten ");

type Ask = {
  older: number;
  size: number;
  leaves?: Uint8Array[];
  origin?: string;
  signer?: typeof log;
  proof?: string[];
};

function bodyOf({ older, size, leaves = HONEST, origin = ORIGIN, signer = log, proof }: Ask): string {
  const tree = { sha256: tools.sha256, node: nodesOf(leaves) };
  const root = rootOf(tree, 0, size);
  const text = checkpointText({ origin, size, root, signedAt: "2026-11-20T14:06:00.000Z" });
  const lines = proof ?? (older <= size ? consistencyProof(tree, older, size).map(toBase64) : []);
  return `${[`old ${older}`, ...lines].join("\n")}\n\n${signText(text, signer)}`;
}

let folder: string;
let base: string;
let stop: () => Promise<void>;

async function start(): Promise<void> {
  const cosigner = loadCosigner(folder, "witness.example");
  const server = createWitness({ logs: [installation.key], folder, cosigner, now: () => 1_795_183_562_000 });
  base = `http://127.0.0.1:${await listen(server)}`;
  stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
}

beforeEach(async () => {
  folder = tempFolder();
  await start();
});

afterEach(() => stop());

const post = async (body: string) => {
  const answer = await fetch(`${base}/add-checkpoint`, { method: "POST", body });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
};
const ask = (request: Ask) => post(bodyOf(request));

it("cosigns a log on first contact, then each extension", async () => {
  const body = bodyOf({ older: 0, size: 7 });
  const first = await post(body);
  expect(first.status).toBe(200);
  const note = parseNote(`${body.slice(body.indexOf("\n\n") + 2)}${first.text}`);
  const { key } = loadCosigner(folder, "witness.example");
  expect(note && checkCosignature(tools, note, key)).toEqual({ check: "good", seconds: 1_795_183_562 });
  expect((await ask({ older: 7, size: 7 })).status).toBe(200);
  expect((await ask({ older: 7, size: 40 })).status).toBe(200);
  const kept = await fetch(`${base}/${nameOf(ORIGIN)}/checkpoint`);
  expect([kept.status, (await kept.text()).split("\n").slice(0, 2)]).toEqual([200, [ORIGIN, "40"]]);
});

it("cosigns an empty log only with the empty root", async () => {
  expect((await ask({ older: 0, size: 0 })).status).toBe(200);
  const text = checkpointText({
    origin: ORIGIN,
    size: 0,
    root: HONEST[0] as Uint8Array,
    signedAt: "2026-11-20T14:06:00.000Z",
  });
  expect((await post(`old 0\n\n${signText(text, log)}`)).status).toBe(422);
});

it("returns the size it knows when asked from any other size", async () => {
  await ask({ older: 0, size: 7 });
  for (const older of [0, 3]) {
    const answer = await ask({ older, size: 9 });
    expect(answer).toEqual({ status: 409, type: "text/x.tlog.size", text: "7\n" });
  }
  expect(await ask({ older: 8, size: 9 })).toMatchObject({ status: 409, text: "7\n" });
});

it("rejects a rewritten history with any proof and keeps its state", async () => {
  await ask({ older: 0, size: 7 });
  const honest = consistencyProof({ sha256: tools.sha256, node: nodesOf(HONEST) }, 7, 9).map(toBase64);
  for (const wrong of [
    { older: 7, size: 9, leaves: REWRITTEN },
    { older: 7, size: 9, leaves: REWRITTEN, proof: honest },
    { older: 7, size: 9, proof: [] },
    { older: 7, size: 7, leaves: REWRITTEN },
    { older: 7, size: 9, proof: [...honest, honest[0] as string] },
  ])
    expect((await ask(wrong)).status).toBe(422);
  expect((await ask({ older: 7, size: 9 })).status).toBe(200);
});

it("accepts only known logs and their keys", async () => {
  const elsewhere = originOf("other.example", "0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90");
  expect((await ask({ older: 0, size: 1, origin: elsewhere, signer: testKey(1, elsewhere, ED25519) })).status).toBe(
    404,
  );
  expect((await ask({ older: 0, size: 1, signer: testKey(9, ORIGIN, ED25519) })).status).toBe(403);
  expect((await ask({ older: 0, size: 1, signer: installation })).status).toBe(403);
  expect(readdirSync(folder)).toEqual(["witness-ed25519.pem"]);
});

it("rejects malformed requests", async () => {
  const good = bodyOf({ older: 0, size: 3 });
  for (const wrong of [
    "",
    "old 0",
    good.replace("old 0", "old 00"),
    good.replace("old 0", "old -1"),
    good.replace("old 0\n", "old 0\nAAAA\n"),
    good.replace("\n3\n", "\n03\n"),
    bodyOf({ older: 5, size: 3 }),
    `${"x".repeat(70_000)}`,
    bodyOf({ older: 0, size: 3, proof: Array.from({ length: 64 }, () => toBase64(Buffer.alloc(32))) }),
  ])
    expect((await post(wrong)).status, wrong.slice(0, 60)).toBe(400);
  expect((await fetch(`${base}/add-checkpoint`)).status).toBe(405);
  expect((await fetch(`${base}/${"0".repeat(64)}/checkpoint`)).status).toBe(404);
  expect((await fetch(`${base}/witness-ed25519.pem`)).status).toBe(404);
});

it("accepts one of fifty concurrent extensions of the same size", async () => {
  await ask({ older: 0, size: 5 });
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask({ older: 5, size: 6 })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status, text }) => status === 409 && text === "6\n")).toHaveLength(49);
});

it("keeps state and key over a restart, and refuses to start over with a damaged file", async () => {
  await ask({ older: 0, size: 7 });
  const { vkey } = loadCosigner(folder, "witness.example");
  await stop();
  await start();
  expect(loadCosigner(folder, "witness.example").vkey).toBe(vkey);
  expect(await ask({ older: 0, size: 9 })).toMatchObject({ status: 409, text: "7\n" });
  const file = join(folder, nameOf(ORIGIN));
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 40));
  expect((await ask({ older: 0, size: 9 })).status).toBe(500);
  expect((await ask({ older: 7, size: 9 })).status).toBe(500);
});

describe("a checkpoint with the maximum number of signatures", () => {
  const strangers = Array.from({ length: 15 }, (_, i) => testKey(100 + i, `stranger${i}.example`, ED25519));
  const signed = (...signers: (typeof log)[]) => {
    const body = bodyOf({ older: 0, size: 7 });
    const text = body.slice(body.indexOf("\n\n") + 2, body.lastIndexOf("\n\n") + 1);
    return signText(text, ...signers);
  };
  const kept = () => readFileSync(join(folder, nameOf(ORIGIN)), "utf8");

  it.each([
    ["of strangers", [log, ...strangers]],
    ["of one key", Array.from({ length: 16 }, () => log)],
  ])("is cosigned, stored and extended with signatures %s", async (_, signers) => {
    expect((await post(`old 0\n\n${signed(...signers)}`)).status).toBe(200);
    expect(parseNote(kept())?.signatures.map(({ name }) => name)).toEqual([ORIGIN, "witness.example"]);
    expect((await ask({ older: 7, size: 40 })).status).toBe(200);
  });
});
