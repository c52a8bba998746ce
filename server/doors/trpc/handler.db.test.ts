import { expect, it } from "vitest";
import { MAX_UNFINISHED } from "@/server/exports/schema";
import { bearer, call, createUser } from "@/testing/factories";
import { answerTrpc } from "./handler";

async function ask(input: string) {
  const authorization = `Bearer ${await bearer(await createUser({ role: "org_viewer" }))}`;
  const url = `http://127.0.0.1:3000/api/trpc/audit.list?input=${encodeURIComponent(input)}`;
  const response = await answerTrpc(new Request(url, { headers: { authorization } }));
  return { status: response.status, body: await response.json() };
}

it.each([
  ["lists", `${"[".repeat(5_000)}${"]".repeat(5_000)}`],
  ["objects", `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`],
])("limits nesting in the URL to 32 levels, as in bodies: %s", async (_, input) => {
  const { status, body } = await ask(input);
  expect([status, body.code, body.detail]).toEqual([
    400,
    "validation_failed",
    expect.stringMatching(/^input.*: is nested over 32 levels$/),
  ]);
});

it("limits unauthenticated bodies to the size of a form over both APIs", async () => {
  const body = { email: "x".repeat(70_000), password: "x" };
  expect(await call(null, "POST /auth/token", body)).toMatchObject({
    status: 413,
    body: { code: "payload_too_large" },
  });
  const post = async (headers: Record<string, string>) => {
    const text = JSON.stringify(body);
    const sent = { "content-type": "application/json", "content-length": String(text.length), ...headers };
    const url = "http://127.0.0.1:3000/api/trpc/auth.forgotPassword";
    return (await answerTrpc(new Request(url, { method: "POST", headers: sent, body: text }))).status;
  };
  expect([await post({}), await post({ authorization: "Bearer x.y.z" })]).toEqual([413, 413]);
  expect(await post({ authorization: `Bearer ${await bearer(await createUser())}` })).toBe(400);
});

it("creates once per Idempotency-Key and rejects it with other input", async () => {
  const authorization = `Bearer ${await bearer(await createUser({ role: "partner_admin" }))}`;
  const create = async (path: string, input: object, key: string) => {
    const headers = { authorization, "content-type": "application/json", "idempotency-key": key };
    const url = `http://127.0.0.1:3000/api/trpc/${path}`;
    const response = await answerTrpc(new Request(url, { method: "POST", headers, body: JSON.stringify(input) }));
    const { result, error } = await response.json();
    return { status: response.status, id: result?.data.id, code: error?.data.problem.code };
  };
  const first = await create("imports.create", { source: "automate" }, "k1");
  expect(first).toMatchObject({ status: 200, id: expect.any(String) });
  expect(await create("imports.create", { source: "automate" }, "k1")).toEqual(first);
  expect(await create("imports.create", { source: "automate" }, "k2")).not.toEqual(first);
  const name = crypto.randomUUID();
  expect((await create("organizations.create", { name }, "k1")).status).toBe(200);
  const other = await create("organizations.create", { name: `${name} 2` }, "k1");
  expect(other).toMatchObject({ status: 422, code: "idempotency_mismatch" });
  expect((await create("organizations.create", { name }, "a b")).status).toBe(400);
});

it("sends Retry-After on rejection, and accepts text that no database stores", async () => {
  const user = await createUser({ role: "org_admin" });
  const headers = { authorization: `Bearer ${await bearer(user)}`, "content-type": "application/json" };
  const create = () => {
    const body = JSON.stringify({ filters: { resource: "a\0b\ud800", actions: "user.\0" } });
    return answerTrpc(new Request("http://127.0.0.1:3000/api/trpc/exports.create", { method: "POST", headers, body }));
  };
  for (let i = 0; i < MAX_UNFINISHED; i++) expect((await create()).status).toBe(200);
  const refused = await create();
  const said = ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "cache-control"];
  expect([refused.status, ...said.map((name) => refused.headers.get(name))]).toEqual([
    429,
    "30",
    String(MAX_UNFINISHED),
    "0",
    "30",
    "no-store",
  ]);
});
