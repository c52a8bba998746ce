import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { agents, deviceSourceIds, devices } from "@/db/schema";
import { flushRecording } from "@/server/audit/record/record";
import { relay } from "@/server/devices/live/relay";
import { hashSecret } from "@/server/ground/secrets";
import {
  auditRows,
  bearer,
  call,
  changeRows,
  createEnrollmentKey,
  createOrg,
  createUser,
  rowsIn,
  type TestOrg,
  unknownSecret,
} from "@/testing/factories";
import { atOnce, cutOffAt } from "@/testing/held-rows";
import { elapsedMs, quickest } from "@/testing/quickest";

const body = (key: string, over: object = {}) => ({ enrollmentKey: key, hostname: "ws-1", os: "linux", ...over });
const enroll = (sent: object) => call(null, "POST /agents/enroll", sent);

/** Opens an agent's stream, runs `act`, and returns how many ms later the stream was closed. */
async function openFor(agent: { agentId: string; orgId: string; deviceId: string }, act: () => Promise<unknown>) {
  let isOpen = true;
  const end = () => {
    isOpen = false;
  };
  await relay().open(agent, { send: () => {}, end });
  await act();
  return elapsedMs(() => expect.poll(() => isOpen).toBe(false));
}

const streamOf = (agentId: string) => sql`SELECT FROM agent_streams WHERE agent_id = ${agentId} FOR UPDATE`;

describe("POST /agents/enroll", () => {
  let org: TestOrg;
  let key: string;
  beforeAll(async () => {
    org = await createOrg();
    key = (await createEnrollmentKey({ orgId: org.id })).key;
  });

  it("creates a device and issues a token that is stored only as a hash", async () => {
    const { status, body: answer } = await enroll(body(key, { osVersion: "Debian 12", agentVersion: "1.2.3" }));
    expect(status).toBe(201);
    expect(answer.orgId).toBe(org.id);
    expect(answer.token).toMatch(/^tma_[\w-]{40}$/);
    const [row] = await rowsIn(agents, { id: answer.agentId });
    expect(row).toMatchObject({ deviceId: answer.deviceId, orgId: org.id, tokenHash: hashSecret(answer.token) });
    const [device] = await rowsIn(devices, { id: answer.deviceId });
    expect(device).toMatchObject({ hostname: "ws-1", os: "linux", osVersion: "Debian 12", agentVersion: "1.2.3" });
  });

  it("treats a UUID in any case as one agent, which its entries name", async () => {
    const agentId = randomUUID().toUpperCase();
    const hostname = `WS-${agentId.slice(0, 8)}`;
    const { body: first } = await enroll(body(key, { agentId, hostname }));
    expect(first.agentId).toBe(agentId);
    expect((await enroll(body(key, { agentId: agentId.toLowerCase(), hostname }))).status).toBe(409);
    const again = await enroll(body(key, { agentId: agentId.toLowerCase(), hostname, agentToken: first.token }));
    expect(again.body).toMatchObject({ agentId, deviceId: first.deviceId });
    await flushRecording(60_000);
    const token = await bearer(await createUser({ orgId: org.id, role: "org_admin" }));
    const list = async (query: string): Promise<string[]> =>
      (await call(token, `GET /audit-logs/logs?${query}`)).body.data.map(
        (entry: { action: string; user: { name: string } }) => `${entry.user.name}: ${entry.action}`,
      );
    const named = ["agent.enroll", "agent.enroll", "device.create"].map((action) => `Agent (${hostname}): ${action}`);
    expect((await list(`user=${hostname}`)).sort()).toEqual(named);
    expect((await list(`device=${hostname}`)).sort()).toEqual(expect.arrayContaining(named));
  });

  it("audits the new device and the enrollment as the agent", async () => {
    const { body: answer } = await enroll(body(key, { agentId: `audited-${org.id.slice(0, 8)}` }));
    const rows = (await auditRows(org.id)).filter(({ resourceId }) => resourceId === answer.deviceId);
    expect(rows.map((r) => r.action).sort()).toEqual(["agent.enroll", "device.create"]);
    for (const row of rows) expect(row).toMatchObject({ actorType: "agent", resourceName: "ws-1", result: "success" });
    expect(rows[0]?.details).toMatchObject({ rawActorId: answer.agentId });
  });

  it("re-enrollment with its token keeps the device, replaces the token and ends the stream", async () => {
    const agentId = `twice:${org.id.slice(0, 8)}`;
    let [first, second] = [(await enroll(body(key, { agentId }))).body, { token: "", deviceId: "" }];
    const again = () =>
      openFor({ agentId, orgId: org.id, deviceId: first.deviceId }, async () => {
        if (second.token) first = second;
        second = (await enroll(body(key, { agentId, agentToken: first.token, hostname: "renamed" }))).body;
      });
    expect(await quickest(2_000, again)).toBeLessThan(2_000);
    expect(second).toMatchObject({ agentId, deviceId: first.deviceId });
    const beat = (token: string) => call(token, `POST /agents/${agentId}/heartbeat`, {});
    expect((await beat(first.token)).status).toBe(401);
    expect((await beat(second.token)).status).toBe(200);
    const [device] = await rowsIn(devices, { id: first.deviceId });
    expect(device?.hostname).toBe("renamed");
  });

  it("rejects a known agentId without its token; each attempt counts as a use", async () => {
    const other = await createOrg({ name: "Very Private Ltd" });
    const [own, foreign] = [`own-${org.id.slice(0, 8)}`, `taken-${org.id.slice(0, 8)}`];
    const { body: first } = await enroll(body(key, { agentId: own }));
    const { body: elsewhere } = await enroll(
      body((await createEnrollmentKey({ orgId: other.id })).key, { agentId: foreign }),
    );
    const limited = await createEnrollmentKey({ orgId: org.id, maxUses: 4 });
    const tries = [
      { agentId: own },
      { agentId: foreign },
      { agentId: own, agentToken: elsewhere.token },
      { agentId: foreign, agentToken: elsewhere.token },
    ];
    const answers = await Promise.all(tries.map((over) => enroll(body(limited.key, over))));
    expect(answers.map((a) => [a.status, a.body.code])).toEqual(tries.map(() => [409, "conflict"]));
    expect(new Set(answers.map((a) => a.body.detail)).size).toBe(1);
    expect(answers.map((a) => a.text).join()).not.toMatch(/Private/);
    expect((await enroll(body(limited.key))).status).toBe(401);
    expect((await call(first.token, `POST /agents/${own}/heartbeat`, {})).status).toBe(200);
  });

  it("keeps a revoked agent out until an administrator releases it, and ends its stream", async () => {
    const admin = await createUser({ orgId: org.id, role: "org_admin" });
    const enrollAs = async (agentId: string) => (await enroll(body(key, { agentId }))).body;
    const revoke = async (id: string) => expect((await call(admin, `DELETE /devices/${id}/agent`)).status).toBe(204);
    const attempt = async () => {
      const { agentId, deviceId } = await enrollAs(`ended-${crypto.randomUUID()}`);
      return openFor({ agentId, orgId: org.id, deviceId }, () => revoke(deviceId));
    };
    expect(await quickest(2_000, attempt)).toBeLessThan(2_000);
    const agentId = `revoked-${org.id.slice(0, 8)}`;
    const first = await enrollAs(agentId);
    await revoke(first.deviceId);
    const beat = (token: string) => call(token, `POST /agents/${agentId}/heartbeat`, {});
    expect((await beat(first.token)).status).toBe(401);
    expect((await enroll(body(key, { agentId, agentToken: first.token }))).status).toBe(409);
    expect((await call(admin, `POST /devices/${first.deviceId}/agent/release`)).body).toMatchObject({
      agentId,
    });
    const { body: second } = await enroll(body(key, { agentId }));
    expect(second).toMatchObject({ agentId, deviceId: first.deviceId });
    expect((await beat(second.token)).status).toBe(200);
    expect((await enroll(body(key, { agentId }))).status).toBe(409);
    const viewer = await createUser({ orgId: org.id, role: "org_viewer" });
    expect((await call(viewer, `POST /devices/${first.deviceId}/agent/release`)).status).toBe(403);
  });

  it("replaces no token until the old stream can be ended", async () => {
    const agentId = `cut-off-${org.id.slice(0, 8)}`;
    const { body: first } = await enroll(body(key, { agentId }));
    const again = () => enroll(body(key, { agentId, agentToken: first.token }));
    await openFor({ agentId, orgId: org.id, deviceId: first.deviceId }, async () => {
      expect((await cutOffAt(streamOf(agentId), again)).status).toBe(503);
      expect((await call(first.token, `POST /agents/${agentId}/heartbeat`, {})).status).toBe(200);
      expect((await again()).status).toBe(201);
    });
  });

  it("records a revocation once for any number of attempts", async () => {
    const admin = await createUser({ orgId: org.id, role: "org_admin" });
    const agentId = `revoked-twice-${org.id.slice(0, 8)}`;
    const { deviceId } = (await enroll(body(key, { agentId }))).body;
    const revoke = async () => (await call(admin, `DELETE /devices/${deviceId}/agent`)).status;
    await openFor({ agentId, orgId: org.id, deviceId }, async () => {
      expect(await cutOffAt(streamOf(agentId), revoke)).toBe(503);
      expect([await revoke(), await revoke()]).toEqual([204, 204]);
    });
    const entries = (await auditRows(org.id)).filter(({ resourceId }) => resourceId === deviceId);
    expect(entries.filter(({ action }) => action === "agent.revoke")).toHaveLength(1);
  });

  it("does not reinstate an agent revoked during re-enrollment", async () => {
    const agentId = `at-once-${org.id.slice(0, 8)}`;
    const { body: first } = await enroll(body(key, { agentId }));
    const admin = await createUser({ orgId: org.id, role: "org_admin" });
    const [revoked, enrolled] = await atOnce(sql`SELECT FROM agents WHERE id = ${agentId} FOR UPDATE`, [
      () => call(admin, `DELETE /devices/${first.deviceId}/agent`),
      () => enroll(body(key, { agentId, agentToken: first.token })),
    ]);
    expect([revoked?.status, enrolled?.status]).toEqual([204, 409]);
  });

  it("returns the same 401 for an unknown, revoked, expired or used-up key", async () => {
    const used = await createEnrollmentKey({ orgId: org.id, maxUses: 1 });
    expect((await enroll(body(used.key))).status).toBe(201);
    const bad = [
      used.key,
      unknownSecret("enrollment"),
      "nonsense",
      (await createEnrollmentKey({ orgId: org.id, revoked: true })).key,
      (await createEnrollmentKey({ orgId: org.id, expiresAt: new Date(Date.now() - 1000) })).key,
    ];
    const answers = await Promise.all(bad.map((k) => enroll(body(k))));
    expect(answers.map((a) => a.status)).toEqual(bad.map(() => 401));
    expect(new Set(answers.map((a) => a.body.detail)).size).toBe(1);
    expect(answers[0]?.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("allows exactly maxUses of many concurrent callers", async () => {
    const limited = await createEnrollmentKey({ orgId: org.id, maxUses: 3 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => enroll(body(limited.key))));
    expect(answers.filter((a) => a.status === 201)).toHaveLength(3);
    expect(answers.filter((a) => a.status === 401)).toHaveLength(5);
  });

  it("assigns an agentId claimed by two organizations at once to one of them", async () => {
    const other = await createEnrollmentKey();
    const agentId = `race-${org.id.slice(0, 8)}`;
    const answers = await Promise.all([key, other.key].map((k) => enroll(body(k, { agentId }))));
    expect(answers.map((a) => a.status).sort()).toEqual([201, 409]);
  });

  it("keeps a source device ID with its first device until the agent is released", async () => {
    const sibling = await createEnrollmentKey({ orgId: (await createOrg({ partnerId: org.partnerId })).id });
    const source = { sourceSystem: "Automate", sourceDeviceId: `computer-${org.id}` };
    const recorded = async () => (await rowsIn(deviceSourceIds, { sourceId: source.sourceDeviceId }))[0];
    const [first, second] = [(await enroll(body(key, source))).body, (await enroll(body(key, source))).body];
    expect([first.isSourceIdTaken, second.isSourceIdTaken]).toEqual([false, true]);
    const expected = { partnerId: org.partnerId, orgId: org.id, source: "automate" };
    expect(await recorded()).toMatchObject({ ...expected, deviceId: first.deviceId });
    const entries = (await auditRows(org.id)).filter(({ resourceId }) => resourceId === second.deviceId);
    expect(entries.map(({ details }) => details)).toContainEqual(
      expect.objectContaining({ sourceIdTaken: `Automate ${source.sourceDeviceId}` }),
    );
    const releasedUntil = new Date(Date.now() + 60_000);
    await changeRows(agents, { id: first.agentId }, { releasedUntil });
    const third = (await enroll(body(key, source))).body;
    expect(third.isSourceIdTaken).toBe(false);
    expect(await recorded()).toMatchObject({ ...expected, deviceId: third.deviceId });
    expect((await enroll(body(sibling.key, source))).body.isSourceIdTaken).toBe(false);
    expect(await recorded()).toMatchObject({ ...expected, deviceId: third.deviceId });
  });

  it("names the invalid member", async () => {
    for (const [over, path] of [
      [{ agentId: "with space" }, "agentId"],
      [{ agentId: "x".repeat(65) }, "agentId"],
      [{ hostname: "" }, "hostname"],
      [{ hostname: "h".repeat(256) }, "hostname"],
      [{ os: 7 }, "os"],
      [{ sourceSystem: "automate" }, "sourceDeviceId"],
    ] as const) {
      const answer = await enroll(body(key, over));
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].path).toBe(path);
    }
  });
});
