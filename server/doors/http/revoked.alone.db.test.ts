import { expect, it, vi } from "vitest";
import { apiKeys } from "@/db/schema";
import { CALLER_CHECK_MS } from "@/server/ground/background/revocable";
import { callersChanged } from "@/server/ground/background/streams";
import { appendEvents } from "@/testing/audit-entries";
import {
  bearer,
  call,
  changeRows,
  createApiKey,
  createOrg,
  createPartner,
  createUser,
  send,
} from "@/testing/factories";

const ROWS = 1_000;

/** A partner with an administrator, and an organization whose entries take longer to leave than a first look at them. */
async function world() {
  const partner = await createPartner();
  const orgId = (await createOrg({ partnerId: partner.id })).id;
  const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
  await appendEvents(Array.from({ length: ROWS }, () => ({ orgId, details: { text: "x".repeat(4_000) } })));
  return { partnerId: partner.id, orgId, admin };
}

const EXPORT = "POST /audit-logs/export";
const EVIDENCE = "GET /audit-logs/evidence";

/** An answer of which the first piece has been read: what is left of it, and how it ended while nothing read it. */
async function opened(line: string, token: string, orgId: string) {
  const response = await (line === EXPORT
    ? send(token, line, { format: "csv" })
    : send(token, `${line}?orgId=${orgId}`));
  expect(response.status).toBe(200);
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  await reader.read();
  const rest = async () => {
    for (let chunks = 0; ; chunks++) if ((await reader.read()).done) return chunks;
  };
  const ended = reader.closed;
  ended.catch(() => {});
  return { rest, ended };
}

it.for([
  ["an export", EXPORT],
  ["an evidence bundle", EVIDENCE],
] as const)("%s stops when its key is revoked during the download", async ([_, line]) => {
  const { orgId, admin } = await world();
  const { id, key } = await createApiKey({ orgId, permissions: ["audit:read", "audit:export"] });
  const { rest, ended } = await opened(line, key, orgId);
  expect((await call(admin, `DELETE /api-keys/${id}`)).status).toBe(204);
  await expect(ended).rejects.toThrow("access has ended");
  await expect(rest()).rejects.toThrow("access has ended");
});

it("an export stops when its key is revoked in another process without notice", async () => {
  const { orgId } = await world();
  const { id, key } = await createApiKey({ orgId, permissions: ["audit:read", "audit:export"] });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const { rest, ended } = await opened(EXPORT, key, orgId);
    const how = vi.fn();
    ended.catch(how);
    await changeRows(apiKeys, { id }, { revokedAt: new Date() });
    vi.advanceTimersByTime(CALLER_CHECK_MS);
    await expect.poll(() => how.mock.calls.flat().map(String)).toEqual(["Error: The caller's access has ended."]);
    await expect(rest()).rejects.toThrow("access has ended");
  } finally {
    vi.useRealTimers();
  }
});

it("an export continues after its access token expires", async () => {
  const { orgId, admin } = await world();
  const { rest } = await opened(EXPORT, await bearer(admin), orgId);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * 60_000 });
  try {
    callersChanged();
    expect(await rest()).toBeGreaterThan(0);
  } finally {
    vi.useRealTimers();
  }
});

it("an export stops when its user is disabled, signs out or loses access, but not for others", async () => {
  const { partnerId, orgId, admin } = await world();
  const staff = () => createUser({ role: "partner_admin", partnerId });
  const patch = (id: string, body: object) => call(admin, `PATCH /users/${id}`, body).then(({ status }) => status);
  const [disabled, narrowed, gone, other] = await Promise.all([staff(), staff(), staff(), staff()]);
  const open = (token: string) => opened(EXPORT, token, orgId);
  const token = await bearer(gone);
  const over = [await open(await bearer(disabled)), await open(await bearer(narrowed)), await open(token)];
  const stays = await open(await bearer(other));
  expect(await patch(disabled.id, { disabled: true })).toBe(200);
  const elsewhere = (await createOrg({ partnerId })).id;
  expect(await patch(narrowed.id, { organizationIds: [elsewhere] })).toBe(200);
  expect((await call(token, "POST /auth/logout", {})).status).toBe(204);
  for (const { rest, ended } of over) {
    await expect(ended).rejects.toThrow("access has ended");
    await expect(rest()).rejects.toThrow("access has ended");
  }
  expect(await stays.rest()).toBeGreaterThan(0);
});
