import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { organizations, users } from "@/db/schema";
import { callersChanged, openStreams } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { newId } from "@/server/ground/ids";
import { appendEvents } from "@/testing/audit-entries";
import { changeRows, createOrg, createPartner, createUser, ctxFor, rowsIn, type TestOrg } from "@/testing/factories";
import { elapsedMs, quickest } from "@/testing/quickest";
import { encodePosition } from "./position";
import { MAX_TAIL_BACKLOG, TAIL_SLOTS, type TailInput, type TailMessage, tailInput } from "./schema";
import { tailEntries } from "./tail";
import { headWatch } from "./watch";

/** What a browser would see of a stream until enough has come, and a while after it, or until time is up; ends it. */
async function listen(
  ctx: Ctx,
  input: TailInput,
  {
    until = () => false,
    ms = 60_000,
    lingerMs = 0,
    everyMs,
  }: { until?: (seen: Heard) => boolean; ms?: number; lingerMs?: number; everyMs?: number } = {},
): Promise<Heard> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), ms);
  const heard: Heard = { ids: [], reloads: [], position: input.lastEventId };
  const own = { recheck: () => Promise.resolve(ctx), ...ctx, signal: stop.signal };
  for await (const [position, content] of tailEntries(own, input, everyMs)) {
    hear(heard, position as string, content);
    if (!until(heard)) continue;
    if (lingerMs === 0) stop.abort();
    else setTimeout(() => stop.abort(), lingerMs);
  }
  clearTimeout(timer);
  return heard;
}

type Heard = { ids: string[]; reloads: string[]; position: string | undefined };
function hear(heard: Heard, position: string, content: TailMessage): void {
  heard.position = position;
  if (content.kind === "reload") heard.reloads.push(content.reason);
  else heard.ids.push(...content.entries.map((entry) => entry.id));
}

const began = (heard: Heard) => heard.position !== undefined;
const going = (ctx: Ctx, over: object = {}) => listen(ctx, tailInput.parse(over), { until: began });
const resume = (over: object, lastEventId: string | undefined) => tailInput.parse({ ...over, lastEventId });

describe("the live tail", () => {
  let org: TestOrg;
  let ctx: Ctx;
  beforeAll(async () => {
    org = await createOrg();
    ctx = await ctxFor(await createUser({ orgId: org.id }));
  });

  it("sends new entries within two seconds of sealing, in chain order", async () => {
    await appendEvents([{ orgId: org.id }]);
    const late = new Date(Date.UTC(2020, 0, 1));
    const attempt = async () => {
      const ids = [newId(), newId(), newId()];
      let [sealed, written]: [number, Promise<unknown> | undefined] = [0, undefined];
      const write = async () => {
        await appendEvents(ids.map((id, i) => ({ orgId: org.id, id, ...(i === 1 && { timestamp: late }) })));
        sealed = performance.now();
      };
      const until = (heard: Heard) => {
        written ??= write();
        return heard.ids.length >= 3;
      };
      const heard = await listen(ctx, tailInput.parse({}), { until });
      const given = performance.now();
      await written;
      expect(heard).toMatchObject({ ids, reloads: ["start"] });
      return given - sealed;
    };
    expect(await quickest(2_000, attempt)).toBeLessThan(2_000);
  });

  it("sends each entry exactly once over 50 reconnects during writes", async () => {
    const written: string[] = [];
    const seen: string[] = [];
    let isWriting = true;
    let heard = await going(ctx);
    const write = async () => {
      while (isWriting) {
        // Who is far behind is told to reload: the listener is not left so far.
        if (written.length - seen.length > MAX_TAIL_BACKLOG / 2) {
          await sleep(20);
          continue;
        }
        const ids = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => newId());
        await appendEvents(ids.map((id) => ({ orgId: org.id, id })));
        written.push(...ids);
        await sleep(Math.random() * 20);
      }
    };
    const writers = [write(), write(), write(), write()];
    for (let i = 0; i < 50; i++) {
      heard = await listen(ctx, resume({}, heard.position), { ms: 5 + Math.random() * 150 });
      expect(heard.reloads).toEqual([]);
      seen.push(...heard.ids);
    }
    isWriting = false;
    await Promise.all(writers);
    const last = newId();
    await appendEvents([{ orgId: org.id, id: last }]);
    written.push(last);
    const rest = written.length - seen.length;
    heard = await listen(ctx, resume({}, heard.position), {
      until: (h) => h.ids.length >= rest,
      lingerMs: 1_200,
    });
    seen.push(...heard.ids);
    expect(seen.length).toBe(new Set(seen).size);
    expect([...seen].sort()).toEqual([...written].sort());
  });

  it("sends a partner the entries of its organizations only", async () => {
    const partner = await createPartner();
    const [a, b] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    const people = await ctxFor(await createUser({ role: "partner_admin", partnerId: partner.id }));
    const { position } = await going(people);
    const ids = [newId(), newId()];
    await appendEvents([
      { orgId: org.id },
      { orgId: a.id, id: ids[0] as string },
      { orgId: b.id, id: ids[1] as string },
    ]);
    const heard = await listen(people, resume({}, position), { until: (h) => h.ids.length >= 2, lingerMs: 1_000 });
    expect([...heard.ids].sort()).toEqual([...ids].sort());
    const own = await listen(ctx, resume({}, position), { until: began });
    expect(own.reloads).toEqual(["position"]);
  });

  it("applies list filters and text, and skips other entries once", async () => {
    const filters = { result: "denied", q: "needle" };
    const { position } = await going(ctx, filters);
    const id = newId();
    await appendEvents([
      { orgId: org.id, result: "denied" },
      { orgId: org.id, resourceName: "a needle" },
      { orgId: org.id, result: "denied", resourceName: "the Needle", id },
    ]);
    const heard = await listen(ctx, resume(filters, position), { until: (h) => h.ids.length >= 1, lingerMs: 1_000 });
    expect(heard.ids).toEqual([id]);
  });

  it("catches up in steps after a long absence, or reports that it is too far behind", async () => {
    const { position } = await going(ctx);
    const rows = await appendEvents(Array.from({ length: 1_100 }, () => ({ orgId: org.id })));
    const heard = await listen(ctx, resume({}, position), { until: (h) => h.ids.length >= 1_100 });
    expect(heard.ids).toEqual(rows.map((row) => row.id));
    await appendEvents(Array.from({ length: MAX_TAIL_BACKLOG - 1_099 }, () => ({ orgId: org.id })));
    const again = await listen(ctx, resume({}, position), { until: (h) => h.reloads.length >= 1, lingerMs: 1_000 });
    expect(again).toMatchObject({ ids: [], reloads: ["behind"] });
  });

  it("restarts from now when the position is invalid or ahead of the chain", async () => {
    for (const bad of [
      "-",
      "nonsense",
      "ÿ",
      "A".repeat(20_000),
      encodePosition({ orgIds: [org.id], seqs: [2 ** 40] }),
    ]) {
      const heard = await listen(ctx, resume({}, bad), { until: began });
      expect(heard.reloads).toEqual(["position"]);
    }
  });

  it("works over 1,000 organizations", async () => {
    const partner = await createPartner();
    const orgIds = Array.from({ length: 1_000 }, () => newId());
    await asSystem((tx) =>
      tx.insert(organizations).values(orgIds.map((id) => ({ id, partnerId: partner.id, name: id, slug: id }))),
    );
    const people = await ctxFor(await createUser({ role: "partner_admin", partnerId: partner.id }));
    await appendEvents(orgIds.slice(0, 500).map((orgId) => ({ orgId })));
    const { position } = await going(people);
    expect(position?.length).toBeLessThan(3_000);
    const rows = await appendEvents(orgIds.map((orgId) => ({ orgId })));
    const heard = await listen(people, resume({}, position), { until: (h) => h.ids.length >= 1_000 });
    expect(heard.reloads).toEqual([]);
    expect([...heard.ids].sort()).toEqual(rows.map((row) => row.id).sort());
  });

  it("ends when the caller loses access or its scope changes", async () => {
    const user = await createUser({ role: "org_admin" });
    const own = await ctxFor(user);
    const recheck = async () => {
      const [row] = await rowsIn(users, { id: user.id });
      if (row?.disabledAt) return ctxFor(user);
      return own;
    };
    const stream = tailEntries({ ...own, recheck }, tailInput.parse({}), 200);
    await stream.next();
    const refused = expect(stream.next()).rejects.toMatchObject({ code: "unavailable" });
    await changeRows(users, { id: user.id }, { disabledAt: new Date() });
    await refused;
    const other = tailEntries({ ...own, recheck: () => Promise.resolve(ctx) }, tailInput.parse({}), 1);
    await other.next();
    await expect(other.next()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("sends nothing written after access is revoked", async () => {
    const user = await createUser({ role: "org_admin" });
    const own = await ctxFor(user);
    let isGone = false;
    const recheck = async () => (isGone ? ctx : own);
    const stream = tailEntries({ ...own, recheck }, tailInput.parse({}), 0);
    await stream.next();
    isGone = true;
    await appendEvents([{ orgId: user.orgId as string }]);
    await expect(stream.next()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("checks the caller immediately after an access change", async () => {
    const attempt = async () => {
      const user = await createUser({ role: "org_admin" });
      const request = () => ctxFor(user);
      const stream = tailEntries({ ...(await request()), recheck: request }, tailInput.parse({}), 60_000);
      await stream.next();
      const refused = expect(stream.next()).rejects.toMatchObject({ code: "unavailable" });
      callersChanged();
      await changeRows(users, { id: user.id }, { disabledAt: new Date() });
      return elapsedMs(() => {
        callersChanged();
        return refused;
      });
    };
    expect(await quickest(2_000, attempt)).toBeLessThan(2_000);
  });

  it("rejects one view too many, and frees the slot when a view ends", async () => {
    const someone = await ctxFor(await createUser({ orgId: org.id }));
    const stop = new AbortController();
    const open = () => tailEntries({ ...someone, signal: stop.signal }, tailInput.parse({}));
    const streams = Array.from({ length: TAIL_SLOTS.max }, open);
    for (const stream of streams) await stream.next();
    await expect(open().next()).rejects.toMatchObject({ code: "rate_limited" });
    const waiting = streams.map((stream) => stream.next());
    expect(openStreams()).toBe(TAIL_SLOTS.max);
    stop.abort();
    for (const next of waiting) expect((await next).done).toBe(true);
    expect(openStreams()).toBe(0);
    expect(headWatch.organizations).toBe(0);
  });
});
