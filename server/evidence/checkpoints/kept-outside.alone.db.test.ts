import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { checkSignature, parseNote } from "@/server/evidence/tree/signed-note";
import { auditRows, roles } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { type HttpDouble, startHttpDouble } from "@/testing/http-double";
import { permit } from "@/testing/permit";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { signCheckpoint } from "./sign";
import { ownKeys } from "./stored-note";

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const pem = () => String(generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));

let dir: string;
let receiver: HttpDouble;
beforeAll(async () => {
  dir = tempFolder();
  const file = join(dir, "keys.pem");
  // During a rotation: the new key first, the one before it behind it.
  writeFileSync(file, `${pem()}${pem()}`, { mode: 0o600 });
  receiver = await startHttpDouble();
  withSettings({
    TRAILMARK_DATA_DIR: dir,
    TRAILMARK_SIGNING_KEY_FILE: file,
    CHECKPOINT_WEBHOOK_URL: receiver.url,
    CHECKPOINT_WEBHOOK_SECRET: SECRET,
  });
});
afterAll(async () => {
  await receiver.close();
});

it("signs checkpoints and receipts with each key of a rotation and posts them signed", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 3));
  await permit(id, 2);
  await appendAudit(roles.app, auditRows(id, 1));
  await signCheckpoint(id);
  const posted = receiver.received.map(({ headers, text }) => {
    expect(() => new Webhook(SECRET).verify(text, headers as Record<string, string>)).not.toThrow();
    return JSON.parse(text) as { type: string; data: { size: number; note: string } };
  });
  expect(posted.map(({ type, data }) => [type, data.size])).toEqual([
    ["audit.checkpoint", 0],
    ["audit.checkpoint", 3],
    ["audit.prune_receipt", 2],
    ["audit.checkpoint", 4],
  ]);
  const keys = ownKeys(id);
  expect(keys).toHaveLength(2);
  for (const { data } of posted) {
    const note = parseNote(data.note);
    expect(keys.map((key) => note && checkSignature(noteTools, note, key))).toEqual(["good", "good"]);
  }
});

it("an unreachable receiver does not delay checkpoints", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 1));
  receiver.answer = () => ({ status: 503 });
  expect(await signCheckpoint(id)).toMatchObject({ kind: "signed", note: { size: 1 } });
});
