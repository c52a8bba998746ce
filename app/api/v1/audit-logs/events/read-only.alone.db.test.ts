import { expect, it, vi } from "vitest";
import { closeDatabase } from "@/db/client";
import { auditLogs } from "@/db/schema";
import { WRITE_TIMES } from "@/server/audit/record/pending-write";
import { flushRecording, startRecording, stopRecording } from "@/server/audit/record/record";
import { env } from "@/server/ground/env";
import { newId } from "@/server/ground/ids";
import { bearer, call, createApiKey, createOrg, createUser, rowsIn, unknownSecret } from "@/testing/factories";
import { tempFolder } from "@/testing/temp-folder";

/** Loads fresh modules against a read-only database, as another process would: nothing is cached in memory. */
async function onReadOnly<T>(load: () => Promise<T>): Promise<T> {
  vi.resetModules();
  const { withSettings } = await import("@/testing/settings");
  withSettings({ DATABASE_URL: `${env().DATABASE_URL}?default_transaction_read_only=on` });
  return load();
}

it("spools events while the database is read-only, even for a new key", async () => {
  const org = await createOrg();
  const key = await createApiKey({ orgId: org.id, permissions: ["audit:write", "audit:read"] });
  const person = await bearer(await createUser({ orgId: org.id, role: "org_viewer" }));
  const dir = tempFolder();
  const { recording, database } = await onReadOnly(async () => ({
    recording: await import("@/server/audit/record/record"),
    database: await import("@/db/client"),
  }));
  // The disk is given its time.
  await recording.startRecording({ dir, times: { ...WRITE_TIMES, giveUp: 60_000 } });
  const event = {
    actorType: "user",
    actorId: newId(),
    action: "device.create",
    resourceType: "device",
    result: "success",
  };
  const post = (headers = {}) =>
    call({ token: key.key, headers }, "POST /audit-logs/events", { events: [{ ...event, id: newId() }, event] });
  expect(await post()).toMatchObject({ status: 202, body: { accepted: 2, rejected: [] } });
  expect((await call(person, "GET /me")).status).toBe(200);
  expect((await call(unknownSecret("apiKey"), "POST /audit-logs/events", { events: [event] })).status).toBe(401);
  // Idempotency keys are stored in the database, so without writes the request cannot be checked.
  expect(await post({ "idempotency-key": newId() })).toMatchObject({ status: 503, body: { code: "unavailable" } });
  await recording.stopRecording();
  await database.closeDatabase();

  const stored = () => rowsIn(auditLogs, { orgId: org.id });
  expect(await stored()).toEqual([]);
  await startRecording({ dir });
  await flushRecording(60_000);
  expect(await stored()).toHaveLength(2);
  await stopRecording();
  await closeDatabase();
});
