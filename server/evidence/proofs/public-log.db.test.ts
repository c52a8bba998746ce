import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { GET } from "@/app/log/[orgId]/[...path]/route";
import { appendAudit } from "@/server/audit/record/append";
import { leafOf } from "@/server/evidence/checkpoints/hashing";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { parsePolicy } from "@/server/evidence/tree/policy";
import { checkSignature, parseNote } from "@/server/evidence/tree/signed-note";
import { parseCheckpoint } from "@/server/evidence/tree/statement";
import { TreeFold } from "@/server/evidence/tree/tree";
import { auditRows, chainOf, roles } from "@/testing/chain";
import { noteTools } from "@/testing/notes";
import { withSettings } from "@/testing/settings";
import { parseTilePath } from "./public-log";

const SIZE = 700;
const orgId = randomUUID();
const get = (path: string, org: string = orgId) =>
  GET(new Request(`http://x/log/${org}/${path}`), { params: Promise.resolve({ orgId: org, path: path.split("/") }) });
const bytes = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer());

beforeAll(async () => {
  await appendAudit(roles.app, auditRows(orgId, 300));
  await appendAudit(roles.app, auditRows(orgId, SIZE - 300));
  await signCheckpoint(orgId);
});

test("a log is private until published, and its policy names its own key", async () => {
  withSettings({ TRAILMARK_PUBLIC_LOG: false });
  expect([(await get("checkpoint")).status, (await get("tile/0/000")).status]).toEqual([404, 404]);
  const policy = parsePolicy(noteTools.sha256, await (await get("policy")).text());
  expect(policy).toMatchObject({ logs: [{ name: expect.stringMatching(new RegExp(`/log/${orgId}$`)) }] });
});

test("a monitor can verify the checkpoint and recompute its root from the tiles", async () => {
  withSettings({ TRAILMARK_PUBLIC_LOG: true });
  const policy = parsePolicy(noteTools.sha256, await (await get("policy")).text());
  const note = parseNote(await (await get("checkpoint")).text());
  if (!note || !("logs" in policy) || !policy.logs[0]) throw new Error("no policy, or no note");
  expect(checkSignature(noteTools, note, policy.logs[0])).toBe("good");
  const checkpoint = parseCheckpoint(note.text);
  expect(checkpoint?.size).toBe(SIZE);
  const leaves = Buffer.concat([await bytes("tile/0/000"), await bytes("tile/0/001"), await bytes("tile/0/002.p/188")]);
  expect(leaves).toEqual(Buffer.concat((await chainOf(orgId)).map(({ checksum }) => leafOf(checksum ?? ""))));
  const fold = new TreeFold(sha256);
  for (let at = 0; at < SIZE; at++) fold.push(0, leaves.subarray(at * 32, (at + 1) * 32));
  expect(Buffer.from(fold.root())).toEqual(Buffer.from(checkpoint?.root ?? []));
  const [first, second] = [new TreeFold(sha256), new TreeFold(sha256)];
  for (let at = 0; at < 256; at++) {
    first.push(0, leaves.subarray(at * 32, (at + 1) * 32));
    second.push(0, leaves.subarray((256 + at) * 32, (257 + at) * 32));
  }
  expect(await bytes("tile/1/000.p/2")).toEqual(Buffer.concat([first.root(), second.root()]));
});

test.each([
  "tile/0/002",
  "tile/0/002.p/189",
  "tile/0/003.p/1",
  "tile/1/000.p/3",
  "tile/0/2",
  "tile/entries/000",
  "other",
])("returns 404 for %s", async (path) => {
  withSettings({ TRAILMARK_PUBLIC_LOG: true });
  expect((await get(path)).status).toBe(404);
});

test("returns 404 for an unknown organization's log", async () => {
  withSettings({ TRAILMARK_PUBLIC_LOG: true });
  expect((await get("checkpoint", randomUUID())).status).toBe(404);
  expect((await get("checkpoint", "x")).status).toBe(404);
});

test("each tile has exactly one valid path", () => {
  expect(parseTilePath("tile/0/x001/x234/067")).toEqual({ level: 0, index: 1_234_067, width: 256 });
  expect(parseTilePath("tile/63/000.p/255")).toEqual({ level: 63, index: 0, width: 255 });
  const wrong = [
    "tile/00/000",
    "tile/64/000",
    "tile/0/x000/001",
    "tile/0/000.p/256",
    "tile/0/000.p/01",
    "tile/0/001/002",
  ];
  expect(wrong.map(parseTilePath)).toEqual(wrong.map(() => null));
});
