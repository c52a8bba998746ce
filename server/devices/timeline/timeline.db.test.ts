import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import {
  call,
  createApiKey,
  createDevice,
  createUser,
  type TestApiKey,
  type TestDevice,
  type TestUser,
} from "@/testing/factories";
import type { TimelineItem } from "./schema";

const at = (second: number) => new Date(Date.UTC(2026, 8, 1, 10, 0, second));

async function log(device: TestDevice, second: number, message: string): Promise<void> {
  await asSystem((tx) =>
    tx.execute(sql`INSERT INTO agent_logs (device_id, org_id, timestamp, level, component, message)
      VALUES (${device.id}, ${device.orgId}, ${at(second).toISOString()}::timestamptz, 'warn', 'updater', ${message})`),
  );
}

async function event(device: TestDevice, second: number, message: string): Promise<void> {
  await asSystem((tx) =>
    tx.execute(sql`INSERT INTO device_event_logs (device_id, org_id, timestamp, level, category, source, message)
      VALUES (${device.id}, ${device.orgId}, ${at(second).toISOString()}::timestamptz, 'error', 'system', 'disk', ${message})`),
  );
}

const wordsOf = (item: TimelineItem): string => {
  if (item.source === "audit") return `audit ${String(item.entry.details.n)}`;
  return item.source === "diagnostic" ? `diagnostic ${item.log.message}` : `event ${item.event.message}`;
};

describe("device timeline", () => {
  let device: TestDevice;
  let admin: TestUser;
  beforeAll(async () => {
    device = await createDevice({ hostname: "WS-1" });
    const namesake = await createDevice({ orgId: device.orgId, hostname: "WS-10" });
    admin = await createUser({ orgId: device.orgId });
    const { orgId } = device;
    // Three of each at every moment, so that a page's end falls among equals.
    for (let second = 0; second < 6; second++) {
      for (const n of [0, 1, 2]) {
        await log(device, second, `l${second}${n}`);
        await event(device, second, `x${second}${n}`);
      }
      await appendEvents([
        { orgId, timestamp: at(second), resourceId: device.id, resourceName: "WS-1", details: { n: `${second}0` } },
        { orgId, timestamp: at(second), actorType: "agent", actorId: device.agentId, details: { n: `${second}1` } },
        { orgId, timestamp: at(second), resourceType: "alert", details: { n: `${second}2`, deviceId: device.id } },
        { orgId, timestamp: at(second), resourceId: namesake.id, resourceName: "WS-10", details: { n: "other" } },
      ]);
    }
    await log(namesake, 3, "other");
    await event(namesake, 3, "other");
  });

  const ask = async (query = "", token: TestUser | TestApiKey = admin) =>
    (await call(token, `GET /devices/${device.id}/timeline?${query}`)).body as {
      data: TimelineItem[];
      nextCursor: string | null;
      leftOut: string[];
    };

  async function walk(query: string): Promise<string[]> {
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await ask(`${query}${cursor && `&cursor=${cursor}`}`);
      found.push(...page.data.map(wordsOf));
      cursor = page.nextCursor;
    }
    return found;
  }

  it("merges three logs in one order, each item once, for any page size", async () => {
    const whole = (await ask("limit=100")).data;
    expect(whole).toHaveLength(54);
    const times = whole.map((item) => item.at);
    expect(times).toEqual([...times].sort().reverse());
    const words = whole.map(wordsOf);
    expect(new Set(words).size).toBe(54);
    expect(words.slice(0, 9).map((word) => word.split(" ")[0])).toEqual(
      ["audit", "diagnostic", "event"].flatMap((source) => [source, source, source]),
    );
    for (const limit of [4, 7]) expect(await walk(`limit=${limit}`)).toEqual(words);
  });

  it("filters by range, logs and text", async () => {
    const range = `from=${at(2).toISOString()}&to=${at(3).toISOString()}`;
    expect(await walk(`${range}&limit=5`)).toHaveLength(18);
    const events = await walk(`${range}&sources=event&limit=4`);
    expect(events.toSorted()).toEqual(["x20", "x21", "x22", "x30", "x31", "x32"].map((word) => `event ${word}`));
    expect(await walk("search=l31")).toEqual(["diagnostic l31"]);
    expect(await walk("sources=audit,event&search=x4")).toHaveLength(3);
  });

  it("searches words in any order, fields and quoted phrases", async () => {
    const own = await createDevice({ orgId: device.orgId });
    await asSystem(async (tx) => {
      await tx.execute(sql`INSERT INTO agent_logs (device_id, org_id, timestamp, level, component, message, fields)
        VALUES (${own.id}, ${own.orgId}, now(), 'warn', 'uploader', 'Batch put aside', '{"reason": "refused 50%", "status": 503}')`);
      await tx.execute(sql`INSERT INTO device_event_logs (device_id, org_id, timestamp, level, category, source, message, details)
        VALUES (${own.id}, ${own.orgId}, now(), 'error', 'system', 'Disk', 'Bad block', '{"volume": "C:", "sector": 4711}')`);
    });
    const found = async (search: string) => {
      const query = `search=${encodeURIComponent(search)}&sources=diagnostic,event`;
      const { body } = await call(admin, `GET /devices/${own.id}/timeline?${query}`);
      return (body as { data: TimelineItem[] }).data.map(wordsOf);
    };
    for (const search of ["refused", "50%", "503 aside UPLOADER", '"uploader: batch put"', '"put aside" status'])
      expect([search, await found(search)]).toEqual([search, ["diagnostic Batch put aside"]]);
    for (const search of ["4711", "block volume", '"sector": 4711'])
      expect([search, await found(search)]).toEqual([search, ["event Bad block"]]);
    for (const search of ["refused 4711", '"aside put"', "5%3", "503_"])
      expect([search, await found(search)]).toEqual([search, []]);
    expect(await found('""')).toHaveLength(2);
  });

  it("contains exactly the entries that name the device in any member", async () => {
    const own = await createDevice({ orgId: device.orgId, hostname: "LAB-1" });
    const foreign = { resourceId: "rmm-1", resourceType: "device" };
    const naming: [Partial<TestEvent>, Record<string, unknown>][] = [
      [{ ...foreign, resourceName: "lab-1" }, { n: "id that is no UUID" }],
      [{ resourceType: "alert" }, { n: "object with a name", device: { name: "LAB-1" } }],
      [{ resourceType: "alert" }, { n: "object with a hostname", device: { hostname: "LAB-1" } }],
      [{ resourceType: "alert" }, { n: "no device id", deviceId: null, hostname: "LAB-1" }],
      [{ resourceType: "alert" }, { n: "second name", device: "Rack 7", deviceName: "LAB-1" }],
      [{ ...foreign, resourceName: "LAB-10" }, { n: "other" }],
      [
        { ...foreign, resourceName: "LAB-10" },
        { n: "other", hostname: "LAB-1" },
      ],
      [{ resourceType: "alert" }, { n: "other", device: { name: "LAB-10" } }],
      [{ resourceType: "alert" }, { n: "other", deviceId: device.id, hostname: "LAB-1" }],
    ];
    await appendEvents(naming.map(([event, details]) => ({ orgId: own.orgId, ...event, details })));
    const { body } = await call(admin, `GET /devices/${own.id}/timeline?sources=audit`);
    expect(new Set((body as { data: TimelineItem[] }).data.map(wordsOf))).toEqual(
      new Set(naming.map(([_, { n }]) => `audit ${String(n)}`).filter((words) => words !== "audit other")),
    );
  });

  it("omits and lists the logs that the caller may not read", async () => {
    const key = await createApiKey({ orgId: device.orgId, permissions: ["devices:read"] });
    const page = await ask("limit=100", key);
    expect(page.leftOut).toEqual(["audit"]);
    expect(new Set(page.data.map(({ source }) => source))).toEqual(new Set(["diagnostic", "event"]));
  });

  it("rejects altered cursors, unknown logs and reversed ranges; returns 404 elsewhere", async () => {
    const { nextCursor } = await ask("limit=3");
    const altered = `${nextCursor?.slice(0, -2)}${nextCursor?.endsWith("AA") ? "BB" : "AA"}`;
    for (const query of [
      `cursor=${altered}`,
      "cursor=x",
      "sources=nothing",
      `from=${at(3).toISOString()}&to=${at(2).toISOString()}`,
    ]) {
      const answer = await call(admin, `GET /devices/${device.id}/timeline?${query}`);
      expect([answer.status, answer.body.errors?.length], query).toEqual([400, 1]);
    }
    const stranger = await createUser();
    expect((await call(stranger, `GET /devices/${device.id}/timeline`)).status).toBe(404);
  });
});
