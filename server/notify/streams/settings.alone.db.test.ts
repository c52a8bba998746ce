import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { dataStreams } from "@/db/schema";
import { auditRows, call, createUser } from "@/testing/factories";
import { many, send, streamSite } from "@/testing/streams";
import { checkResult } from "./schema";

const site = streamSite();

describe("stream settings", () => {
  it("return and record the secret only in the creating response", async () => {
    const admin = await createUser();
    const { id, secret } = await site.create(admin, { secret: "Bearer s3cr3t-token" });
    const [row] = await asSystem((tx) => tx.select().from(dataStreams).where(eq(dataStreams.id, id)));
    const all = JSON.stringify([
      row,
      (await call(admin, "GET /streams")).body,
      (await auditRows(admin.orgId as string)).map(({ details }) => details),
    ]);
    expect(all).not.toContain("s3cr3t");
    expect(all).not.toContain(secret?.slice(6));
    await call(admin, `POST /streams/${id}/check`);
    expect(site.receiver.received[0]?.headers.authorization).toBe("Bearer s3cr3t-token");
  });

  it.for([
    ["config.url", { config: { url: "http://user:pw@127.0.0.1/" } }],
    ["config.url", { config: {} }],
    ["config.headers", { config: { url: "https://example.com", headers: { Authorization: "x" } } }],
    ["config.colour", { config: { url: "https://example.com", colour: "red" } }],
    ["filter", { filter: { colour: "red" } }],
    ["filter.result", { filter: { result: "perhaps" } }],
    ["start", { start: "yesterday" }],
    ["kind", { kind: "pigeon" }],
  ] as const)("name %s when rejecting it", async ([path, over]) => {
    const admin = await createUser();
    const body = { name: "SIEM", kind: "https", config: { url: site.receiver.url }, ...over };
    const { status, body: problem } = await call(admin, "POST /streams", body);
    expect({ status, problem }).toMatchObject({ status: 400, problem: { errors: [{ path }] } });
  });

  it("without gzip produce standard webhook signatures", async () => {
    const { orgId, secret } = await site.start({ config: { url: site.receiver.url, gzip: false } });
    await many(orgId, 1);
    await send();
    const [request] = site.requestsOf(orgId);
    if (!request || !secret) throw new Error("nothing was received");
    const verifier = new Webhook(secret);
    const array = { ...request.headers } as Record<string, string>;
    expect(() => verifier.verify(request.raw.toString("utf8"), array)).toThrow(SyntaxError);
    expect(() => verifier.verify(`${request.raw.toString("utf8")} `, array)).toThrow("No matching signature");
  });

  it("take effect on the next batch, even a previously failed one", async () => {
    const { admin, orgId, id } = await site.start();
    site.receiver.answer = () => ({ status: 503 });
    const rows = await many(orgId, 2);
    await send();
    site.receiver.answer = () => ({ status: 204 });
    await call(admin, `PATCH /streams/${id}`, { config: { url: site.receiver.url, body: "array" } });
    await send();
    expect(site.requestsOf(orgId).at(-1)?.headers["content-type"]).toBe("application/json");
    expect(site.idsOf(orgId)).toEqual(expect.arrayContaining(rows.map((row) => row.id)));
    expect((await call(admin, `DELETE /streams/${id}`)).status).toBe(204);
  });

  it("can be checked, and the start moved, before a draft starts", async () => {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    const rows = await many(orgId, 2);
    const { id } = await site.create(admin);
    const checked = await call(admin, `POST /streams/${id}/check`, { starts: false });
    expect(checked.body).toMatchObject({ ok: true, stream: { state: "draft" } });
    const beginAt = (start: string) => call(admin, `PATCH /streams/${id}`, { start });
    expect((await beginAt("beginning")).status).toBe(200);
    await call(admin, `POST /streams/${id}/resume`);
    await send();
    expect(site.idsOf(orgId)).toEqual(expect.arrayContaining(rows.map((row) => row.id)));
    expect(await beginAt("now")).toMatchObject({ status: 409 });
  });

  it("are checked step by step with timings", async () => {
    const admin = await createUser();
    const { id } = await site.create(admin);
    site.receiver.answer = () => ({ status: 204, delayMs: 30 });
    const { body } = await call(admin, `POST /streams/${id}/check`);
    const took = Object.fromEntries(checkResult.parse(body).steps.map(({ step, ms }) => [step, ms]));
    expect(took).toMatchObject({ connect: expect.any(Number), write: null });
    expect(took.acknowledge).toBeGreaterThanOrEqual(29);
  });

  it("keep the Authorization header when the signing secret rotates", async () => {
    const admin = await createUser();
    const { id, secret } = await site.create(admin, { secret: "Bearer s3cr3t-token" });
    const { body } = await call(admin, `POST /streams/${id}/rotate`, { overlapSeconds: 0 });
    expect(body.secret).not.toBe(secret);
    await call(admin, `POST /streams/${id}/check`);
    expect(site.receiver.received[0]?.headers.authorization).toBe("Bearer s3cr3t-token");
  });

  it("are previewed with the newest entries", async () => {
    const admin = await createUser();
    const rows = await many(admin.orgId as string, 4);
    const { body } = await call(admin, "POST /streams/preview", {});
    const ids = body.lines.map((line: string) => JSON.parse(line).id);
    expect(ids).toEqual(rows.slice(-3).map((row) => row.id));
  });
});
