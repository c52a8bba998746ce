import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { newId } from "@/server/ground/ids";
import { appendEvents } from "@/testing/audit-entries";
import { call, createApiKey, createOrg, createPartner, type TestOrg } from "@/testing/factories";
import { feedPage } from "./feed";

type Asked = { key: string; query?: Record<string, string | number> };

async function ask({ key, query = {} }: Asked) {
  const params = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const { status, body } = await call(key, `GET /audit-logs/feed?${params}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const page = feedPage.parse(body);
  return { ...page, ids: page.data.map(({ id }) => id) };
}

describe("the feed", () => {
  let org: TestOrg;
  let key: string;
  beforeAll(async () => {
    org = await createOrg();
    ({ key } = await createApiKey({ orgId: org.id, permissions: ["audit:stream"] }));
  });

  it("returns all entries in storage order regardless of their timestamps", async () => {
    const before = await ask({ key });
    const late = new Date(Date.UTC(2020, 0, 1));
    const rows = await appendEvents([{ orgId: org.id }, { orgId: org.id, timestamp: late }, { orgId: org.id }]);
    const first = await ask({ key, query: { after: before.next, limit: 2 } });
    const second = await ask({ key, query: { after: first.next, limit: 2 } });
    expect([...first.ids, ...second.ids]).toEqual(rows.map(({ id }) => id));
    expect([first.lag, second.lag]).toEqual([1, 0]);
    expect(await ask({ key, query: { after: second.next } })).toMatchObject({ ids: [], next: second.next, lag: 0 });
  });

  it("skips filtered entries once", async () => {
    const { next } = await ask({ key, query: { after: "now" } });
    const denied = newId();
    await appendEvents([{ orgId: org.id }, { orgId: org.id, id: denied, result: "denied" }, { orgId: org.id }]);
    const page = await ask({ key, query: { after: next, result: "denied" } });
    expect(page).toMatchObject({ ids: [denied], lag: 0 });
  });

  it("waits for the next entry, up to the requested time", async () => {
    const { next } = await ask({ key, query: { after: "now" } });
    const id = newId();
    const waiting = ask({ key, query: { after: next, wait: 20 } });
    await sleep(50);
    await appendEvents([{ orgId: org.id, id }]);
    const page = await waiting;
    expect(page.ids).toEqual([id]);
    expect(await ask({ key, query: { after: page.next, wait: 1 } })).toMatchObject({ ids: [] });
  });

  it("returns each entry exactly once through 20 kills during writes", async () => {
    let stored = (await ask({ key, query: { after: "now" } })).next;
    const written: string[] = [];
    const taken: string[] = [];
    let isWriting = true;
    const write = async () => {
      while (isWriting) {
        const rows = Array.from({ length: 1 + Math.floor(Math.random() * 5) }, () => ({ orgId: org.id, id: newId() }));
        await appendEvents(rows);
        written.push(...rows.map(({ id }) => id));
      }
    };
    const writers = [write(), write(), write()];
    for (let kills = 0; kills < 20; ) {
      const page = await ask({ key, query: { after: stored, limit: 7, wait: 1 } });
      // A reader that dies before it stores what it took asks the same again.
      if (Math.random() < 0.5) kills++;
      else {
        taken.push(...page.ids);
        stored = page.next;
      }
    }
    isWriting = false;
    await Promise.all(writers);
    for (let lag = 1; lag > 0; ) {
      const page = await ask({ key, query: { after: stored, limit: 1_000 } });
      taken.push(...page.ids);
      ({ lag, next: stored } = page);
    }
    expect(taken.length).toBe(new Set(taken).size);
    expect([...taken].sort()).toEqual([...written].sort());
  });

  it("includes a new customer from its first entry", async () => {
    const partner = await createPartner();
    const whole = await createApiKey({ partnerId: partner.id, permissions: ["audit:read"] });
    await appendEvents([{ orgId: partner.homeOrgId }]);
    const { next } = await ask({ key: whole.key });
    const { id } = await createOrg({ partnerId: partner.id, id: "ffffffff-ffff-7fff-8fff-ffffffffffff" });
    const [row] = await appendEvents([{ orgId: id }]);
    expect(await ask({ key: whole.key, query: { after: next } })).toMatchObject({ ids: [row?.id] });
  });

  it("returns NDJSON on request, with the position in a header", async () => {
    const { next } = await ask({ key, query: { after: "now" } });
    const rows = await appendEvents([{ orgId: org.id }, { orgId: org.id }]);
    const answer = await call(key, `GET /audit-logs/feed?format=ndjson&after=${next}`);
    const lines = answer.text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(rows.map(({ id }) => id));
    const after = answer.headers.get("trailmark-next") ?? "";
    expect(await ask({ key, query: { after } })).toMatchObject({ ids: [], lag: 0 });
  });

  it.for([
    ["after", "nonsense"],
    ["after", "-"],
    ["limit", "1001"],
    ["limit", "0"],
    ["wait", "31"],
    ["format", "csv"],
  ])("rejects %s=%s and names the parameter", async ([name = "", value = ""]) => {
    const { status, body } = await call(key, `GET /audit-logs/feed?${name}=${value}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: name }] } });
  });

  it("rejects the position of another organization", async () => {
    const { id } = await createOrg();
    const other = await createApiKey({ orgId: id, permissions: ["audit:read"] });
    const { next } = await ask({ key: other.key });
    expect((await call(key, `GET /audit-logs/feed?after=${next}`)).status).toBe(400);
  });
});

it("lists a chain's entries after a sequence number, oldest first", async () => {
  const { id: orgId } = await createOrg();
  const { key } = await createApiKey({ orgId, permissions: ["audit:read"] });
  const rows = await appendEvents(Array.from({ length: 5 }, () => ({ orgId })));
  const { body } = await call(key, `GET /audit-logs/logs?orgId=${orgId}&afterSeq=2&limit=2`);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([rows[2]?.id, rows[3]?.id]);
  const partner = await createPartner();
  await createOrg({ partnerId: partner.id });
  const whole = await createApiKey({ partnerId: partner.id, permissions: ["audit:read"] });
  expect((await call(whole.key, "GET /audit-logs/logs?afterSeq=2")).status).toBe(400);
});
