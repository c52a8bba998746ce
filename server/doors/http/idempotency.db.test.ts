import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { apiKeys, enrollmentKeys, idempotencyKeys } from "@/db/schema";
import { roles } from "@/testing/chain";
import {
  auditRows,
  call,
  changeRows,
  createApiKey,
  createEnrollmentKey,
  createUser,
  rowsIn,
  type TestUser,
  unknownSecret,
} from "@/testing/factories";

const withKey = (key: string) => ({ "Idempotency-Key": key });
const fresh = () => crypto.randomUUID();

describe("Idempotency-Key", () => {
  let admin: TestUser;
  beforeAll(async () => {
    admin = await createUser({ role: "org_admin" });
  });
  const create = (key: string, over: object = {}, token = admin) =>
    call({ token, headers: withKey(key) }, "POST /api-keys", { name: "CI", permissions: ["audit:read"], ...over });

  it("replays the first response, secret included, without creating or recording again", async () => {
    const key = fresh();
    const first = await create(key);
    const again = await create(key);
    expect(first.status).toBe(201);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect([first, again].map((a) => a.headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    const created = await rowsIn(apiKeys, { orgId: admin.orgId as string });
    expect(created).toHaveLength(1);
    expect((await auditRows(admin.orgId as string)).map((row) => row.action)).toEqual(["api_key.create"]);
  });

  it("stores responses unreadable without the key and the server secret", async () => {
    const key = fresh();
    const { body } = await create(key, { name: "A telling name" });
    const rows = await asSystem((tx) => tx.select().from(idempotencyKeys));
    const text = JSON.stringify(rows);
    for (const clear of [key, body.key, body.id, "A telling name", admin.id]) {
      expect(text).not.toContain(clear);
      expect(text).not.toContain(Buffer.from(clear).toString("base64").slice(0, -3));
    }
  });

  it("rejects another request with the same key, and separates callers", async () => {
    const key = fresh();
    await create(key);
    expect(await create(key, { name: "Another" })).toMatchObject({
      status: 422,
      body: { code: "idempotency_mismatch" },
    });
    const email = `${fresh()}@example.test`;
    const body = { email, name: "P", password: "a long enough password", role: "org_viewer", orgId: admin.orgId };
    expect((await call({ token: admin, headers: withKey(key) }, "POST /users", body)).status).toBe(422);
    const other = await createUser({ role: "org_admin" });
    expect((await create(key, { name: "Another" }, other)).status).toBe(201);
  });

  it("is not stored for a stranger who exceeded the enrollment attempts", async () => {
    const tried = (headers = {}) =>
      call({ ip: "198.51.100.91", headers }, "POST /agents/enroll", {
        enrollmentKey: unknownSecret("enrollment"),
        hostname: "h",
        os: "linux",
      });
    for (let i = 0; i < 100; i++) expect((await tried()).status).toBe(401);
    const answered = await roles.owner.begin(async (tx) => {
      await tx`LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE`;
      return Promise.race([tried(withKey(fresh())), sleep(25_000, undefined)]);
    });
    expect(answered?.status).toBe(429);
  });

  it("runs one of many concurrent requests; the others wait or get its response", async () => {
    const key = fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(key, { name: "Race" })));
    const created = new Set(answers.filter((a) => a.status === 201).map((a) => a.body.id));
    expect(created.size).toBe(1);
    for (const { status, headers } of answers) {
      expect([201, 409]).toContain(status);
      if (status === 409) expect(headers.get("retry-after")).toBe("1");
    }
    expect((await create(key, { name: "Race" })).body.id).toBe([...created][0]);
  });

  it("does not store a rejection, so the request can be retried", async () => {
    const key = fresh();
    expect((await create(key, { permissions: ["custom_fields:import"] })).status).toBe(403);
    expect((await create(key)).status).toBe(201);
    expect((await create(key, { name: "" })).status).toBe(400);
    for (const bad of ["", "x".repeat(256), "two words"])
      expect(await create(bad)).toMatchObject({ status: 400, body: { errors: [{ path: "Idempotency-Key" }] } });
  });

  it("expires after a day, or after a minute if the request died", async () => {
    const [old, dead] = [fresh(), fresh()];
    const [first, second] = [await create(old), await create(dead)];
    await asSystem((tx) => tx.execute(sql`UPDATE idempotency_keys SET claimed_at = claimed_at - interval '25 hours'`));
    expect((await create(old)).body.id).not.toBe(first.body.id);
    expect((await create(dead)).body.id).not.toBe(second.body.id);
    await asSystem((tx) =>
      tx.execute(
        sql`UPDATE idempotency_keys SET status = NULL, answer = NULL, claimed_at = now() - interval '61 seconds'`,
      ),
    );
    expect((await create(dead)).status).toBe(201);
    const left = await asSystem((tx) => tx.select().from(idempotencyKeys));
    expect(left.every((row) => row.claimedAt.getTime() > Date.now() - 86_400_000)).toBe(true);
  });

  it("works for events, users, organizations and enrollments", async () => {
    const writer = await createApiKey({ orgId: admin.orgId as string, permissions: ["audit:write"] });
    const enrollment = await createEnrollmentKey({ orgId: admin.orgId as string, maxUses: 1 });
    const partner = await createUser({ role: "partner_admin" });
    const event = { actorType: "system", actorId: "x", action: "thing.once", resourceType: "thing", result: "success" };
    const person = {
      email: `${fresh()}@example.test`,
      name: "P",
      password: "a long enough password",
      role: "org_viewer",
    };
    for (const [route, token, body] of [
      ["POST /audit-logs/events", writer, { events: [event] }],
      ["POST /users", admin, { ...person, orgId: admin.orgId }],
      ["POST /orgs/organizations", partner, { name: `Org ${fresh()}` }],
      ["POST /agents/enroll", undefined, { enrollmentKey: enrollment.key, hostname: "ws-1", os: "linux" }],
    ] as const) {
      const headers = withKey(fresh());
      const answers = [await call({ token, headers }, route, body), await call({ token, headers }, route, body)];
      expect(answers[0]?.status).toBeLessThan(300);
      expect([answers[1]?.status, answers[1]?.body]).toEqual([answers[0]?.status, answers[0]?.body]);
    }
    const events = (await auditRows(admin.orgId as string)).filter((row) => row.action === "thing.once");
    expect(events).toHaveLength(1);
  });

  it("does not replay an enrollment token after its key was revoked", async () => {
    const enrollment = await createEnrollmentKey({ orgId: admin.orgId as string });
    const headers = withKey(fresh());
    const body = { enrollmentKey: enrollment.key, hostname: "ws-1", os: "linux" };
    expect((await call({ headers }, "POST /agents/enroll", body)).status).toBe(201);
    await changeRows(enrollmentKeys, { id: enrollment.id }, { revokedAt: new Date() });
    expect((await call({ headers }, "POST /agents/enroll", body)).body.code).toBe("unauthenticated");
  });
});
