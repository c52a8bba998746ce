import { once } from "node:events";
import { truncateSync } from "node:fs";
import { type IncomingMessage, request, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { appSql, asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { startRecording } from "@/server/audit/record/record";
import { createFront, createListener } from "@/server/doors/front/front";
import { routes } from "@/server/doors/http/routes.generated";
import { exportPath } from "@/server/exports/files";
import { exportWork } from "@/server/exports/run";
import { appendEvents } from "@/testing/audit-entries";
import { chainOf, roles } from "@/testing/chain";
import { bearer, call, createApiKey, createUser, type TestUser } from "@/testing/factories";
import { workOff } from "@/testing/jobs";
import { listen, portOf } from "@/testing/port-of";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { stopService } from "./service";
import { drain } from "./shutdown";

/** More than the sockets of both sides hold while nobody reads. */
const FILE_BYTES = 256 * 1024 * 1024;
const ROWS = 3_000;

let server: Server;
let admin: TestUser;
let authorization: string;
const orgId = () => admin.orgId as string;

beforeAll(async () => {
  const dir = tempFolder();
  withSettings({ TRAILMARK_DATA_DIR: dir });
  await startRecording({ dir: join(dir, "spool") });
  const next = async () => {};
  const listener = createListener({ routes, next, origin: "http://127.0.0.1:3000", dev: false });
  server = createFront(listener);
  await listen(server);
  admin = await createUser({ role: "org_admin" });
  authorization = `Bearer ${await bearer(admin)}`;
  const text = "x".repeat(8_000);
  await appendEvents(Array.from({ length: ROWS }, () => ({ orgId: orgId(), details: { text } })));
});

type Sent = { method?: string; path: string; body?: object; length?: number };

/** A request, whose body may end early. */
function send({ method = "GET", path, body, length }: Sent) {
  const text = body ? JSON.stringify(body) : "";
  const headers = { authorization, "content-type": "application/json", "content-length": length ?? text.length };
  const sent = request({ port: portOf(server), host: "127.0.0.1", method, path, headers });
  const gone = new Promise((resolve) => sent.on("error", () => {}).once("close", resolve));
  if (length === undefined) sent.end(text);
  else sent.write(text);
  return { sent, gone };
}

/** An answer that nobody reads. */
async function unread(asked: Sent): Promise<IncomingMessage> {
  const [answer] = (await once(send(asked).sent, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  return answer;
}

/** A finished export of as many bytes. */
async function finishedExport(): Promise<string> {
  const { id } = (await call(admin, "POST /audit-logs/exports", { format: "ndjson" })).body;
  await workOff(exportWork);
  const theirs = eq(auditExports.id, id);
  const change = { sizeBytes: FILE_BYTES };
  const [row] = await asSystem((tx) => tx.update(auditExports).set(change).where(theirs).returning());
  truncateSync(exportPath(id, row?.attempt ?? 0), FILE_BYTES);
  return id;
}

it("cuts off an endless request and records everything finished before recording stops", async () => {
  const id = await finishedExport();
  const answers = [
    await unread({ path: `/api/v1/audit-logs/exports/${id}/file` }),
    await unread({ path: "/api/v1/audit-logs/export", method: "POST", body: { format: "csv" } }),
  ];
  const silent = connect(portOf(server), "127.0.0.1");
  const hungUp = new Promise((resolve) => silent.resume().once("close", resolve));
  await once(silent, "connect");
  const upload = send({ path: "/api/v1/custom-fields", method: "POST", body: { name: "x" }, length: 1_000 });
  const { id: keyId } = await createApiKey({ orgId: orgId() });
  const holder = await roles.owner.reserve();
  await holder`BEGIN`;
  await holder`SELECT FROM api_keys WHERE id = ${keyId} FOR UPDATE`;
  const change = send({ path: `/api/v1/api-keys/${keyId}`, method: "DELETE" });
  const waiting = () => roles.owner`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'api_keys'`;
  await expect.poll(async () => (await waiting()).length).toBe(1);

  let isDrained = false;
  void drain(server, () => {}, 100).then(() => {
    isDrained = true;
  });
  await expect.poll(() => isDrained).toBe(true);
  const stopped = stopService({ work: 60_000, brokenOff: 500 });
  await holder`SELECT`;
  // The database stays open for the change that has lost its connection.
  await appSql()`SELECT`;
  await holder`COMMIT`;
  holder.release();
  await Promise.all([stopped, upload.gone, change.gone, hungUp]);

  for (const answer of answers) {
    await finished(answer.resume()).catch(() => {});
    expect(answer.complete).toBe(false);
  }
  const recorded = (await chainOf(orgId())).slice(ROWS);
  expect(recorded.map(({ action, result }) => [action, result]).sort()).toEqual([
    ["api_key.revoke", "success"],
    ["audit_logs.export", "failure"],
    ["audit_logs.export", "success"],
    ["audit_logs.export.download", "failure"],
  ]);
});
