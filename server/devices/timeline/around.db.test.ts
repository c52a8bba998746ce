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

const MIDDLE = Date.UTC(2026, 8, 2, 10, 0, 0);
const at = (second: number) => new Date(MIDDLE + second * 1000);

type Page = {
  data: { item: TimelineItem; ties: string[] }[];
  ties: string[];
  device: { id: string; hostname: string; isKnown: boolean } | null;
  hasOlder: boolean;
  hasNewer: boolean;
  leftOut: string[];
};

async function log(device: TestDevice, second: number, message: string): Promise<void> {
  await asSystem((tx) =>
    tx.execute(sql`INSERT INTO agent_logs (device_id, org_id, timestamp, level, component, message)
      VALUES (${device.id}, ${device.orgId}, ${at(second).toISOString()}::timestamptz, 'warn', 'updater', ${message})`),
  );
}

const nameOf = ({ item }: Page["data"][number]): string =>
  item.source === "audit" ? String(item.entry.details.n) : item.source === "diagnostic" ? item.log.message : "?";

describe("context of an entry", () => {
  let device: TestDevice;
  let admin: TestUser;
  let middle = "";
  const actor = crypto.randomUUID();

  beforeAll(async () => {
    device = await createDevice({ hostname: "WS-1" });
    const namesake = await createDevice({ orgId: device.orgId, hostname: "WS-10" });
    admin = await createUser({ orgId: device.orgId });
    const by = (second: number, n: string, event: Partial<TestEvent> = {}): TestEvent => ({
      orgId: device.orgId,
      timestamp: at(second),
      resourceType: "policy",
      details: { n },
      ...event,
    });
    const person = { actorType: "user" as const, actorId: actor };
    const rows = await appendEvents([
      by(-301, "too early", person),
      by(-40, "session", { details: { n: "session", sessionId: "s-77" } }),
      by(-30, "address", { ipAddress: "203.0.113.9" }),
      by(-20, "actor", person),
      by(0, "same instant", person),
      by(0, "middle", {
        ...person,
        resourceType: "device",
        resourceId: device.id,
        resourceName: "WS-1",
        ipAddress: "203.0.113.9",
        details: { n: "middle", sessionId: "s-77" },
      }),
      by(10, "about the device", { details: { n: "about the device", device: "WS-1" } }),
      by(11, "another device", { details: { n: "another device", deviceId: namesake.id, device: "WS-10" } }),
      by(12, "another session", { details: { n: "another session", sessionId: "s-7" } }),
      by(20, "two ties", { ...person, ipAddress: "203.0.113.9" }),
      by(301, "too late", person),
    ]);
    middle = rows.find(({ details }) => (details as { n: string }).n === "middle")?.id ?? "";
    await log(device, -10, "log before");
    await log(device, 15, "log after");
    await log(namesake, 15, "log of another");
  });

  const ask = async (query = "", token: TestUser | TestApiKey = admin) =>
    (await call(token, `GET /audit-logs/logs/${middle}/around?${query}`)).body as Page;

  it("lists related items in time order with what each has in common", async () => {
    const page = await ask();
    expect(page.data.map(nameOf)).toEqual([
      "two ties",
      "log after",
      "about the device",
      "middle",
      "same instant",
      "log before",
      "actor",
      "address",
      "session",
    ]);
    expect(page.data.map(({ ties }) => ties.filter((tie) => tie !== "organization"))).toEqual([
      ["actor", "address"],
      ["device"],
      ["device"],
      ["session", "actor", "address", "device"],
      ["actor"],
      ["device"],
      ["actor"],
      ["address"],
      ["session"],
    ]);
    expect(page.device).toEqual({ id: device.id, hostname: "WS-1", isKnown: true });
    expect([page.hasOlder, page.hasNewer]).toEqual([false, false]);
  });

  it("narrows to ties and logs, and widens to the organization and more minutes", async () => {
    expect((await ask("ties=address")).data.map(nameOf)).toEqual(["two ties", "middle", "address"]);
    expect((await ask("ties=session,address&minutes=1")).data.map(nameOf)).toEqual([
      "two ties",
      "middle",
      "address",
      "session",
    ]);
    expect((await ask("ties=device&sources=diagnostic")).data.map(nameOf)).toEqual([
      "log after",
      "middle",
      "log before",
    ]);
    expect((await ask("ties=actor&minutes=15")).data.map(nameOf)).toEqual([
      "too late",
      "two ties",
      "middle",
      "same instant",
      "actor",
      "too early",
    ]);
    const whole = (await ask("ties=organization")).data.map(nameOf);
    expect(whole).toEqual(expect.arrayContaining(["another device", "another session"]));
    expect(whole).not.toContain("log after");
  });

  it("keeps the closest items on each side and reports when there are more", async () => {
    const page = await ask("limit=2");
    expect(page.data.map(nameOf)).toEqual(["log after", "about the device", "middle", "same instant", "log before"]);
    expect([page.hasOlder, page.hasNewer]).toEqual([true, true]);
  });

  it("matches an unknown device by hostname, not by missing UUID", async () => {
    const { orgId } = device;
    const about = { orgId, resourceId: "rmm-1", resourceType: "device" };
    const [first] = await appendEvents([
      { ...about, timestamp: at(2000), resourceName: "GONE-1", details: { n: "first" } },
      { ...about, timestamp: at(2001), resourceName: "GONE-1", details: { n: "same" } },
      { ...about, timestamp: at(2002), resourceName: "GONE-12", details: { n: "another" } },
      { orgId, timestamp: at(2003), resourceType: "alert", details: { n: "named", device: { name: "GONE-1" } } },
    ]);
    const { body } = await call(admin, `GET /audit-logs/logs/${first?.id}/around?ties=device`);
    expect((body as Page).data.map(nameOf)).toEqual(["named", "same", "first"]);
    expect((body as Page).device).toEqual({ id: "", hostname: "GONE-1", isKnown: false });
  });

  it("uses the first of the entry's names that matches a device", async () => {
    const { orgId } = device;
    const details = { n: "second name", device: { name: "Front desk", hostname: "ws-1" } };
    const [entry] = await appendEvents([{ orgId, timestamp: at(3000), resourceType: "alert", details }]);
    const { body } = await call(admin, `GET /audit-logs/logs/${entry?.id}/around`);
    expect((body as Page).device).toEqual({ id: device.id, hostname: "WS-1", isKnown: true });
  });

  it("skips a hostname shared by two devices and uses the next name", async () => {
    const { orgId } = device;
    for (const hostname of ["TWIN-1", "TWIN-1"]) await createDevice({ orgId, hostname });
    const by = { orgId, timestamp: at(4000), actorType: "agent" as const, actorId: device.agentId };
    const rows = await appendEvents([
      { ...by, resourceType: "alert", details: { n: "twin", hostname: "TWIN-1" } },
      { ...by, resourceType: "alert", details: { n: "next", deviceName: "TWIN-1", hostname: "WS-1" } },
      { ...by, resourceType: "alert", details: { n: "agent" } },
    ]);
    const found: Record<string, unknown> = {};
    for (const { id, details } of rows) {
      const { body } = await call(admin, `GET /audit-logs/logs/${id}/around`);
      found[String((details as { n: string }).n)] = (body as Page).device;
    }
    const own = { id: device.id, hostname: "WS-1", isKnown: true };
    expect(found).toEqual({ twin: { id: "", hostname: "TWIN-1", isKnown: false }, next: own, agent: own });
  });

  it("omits and lists the logs that the caller may not read", async () => {
    const key = await createApiKey({ orgId: device.orgId, permissions: ["audit:read"] });
    const page = await ask("", key);
    expect(page.leftOut).toEqual(["diagnostic", "event"]);
    expect(new Set(page.data.map(({ item }) => item.source))).toEqual(new Set(["audit"]));
  });

  it("filters every list by an exact session ID", async () => {
    const listed = async (session: string) => {
      const { body } = await call(admin, `GET /audit-logs/logs?session=${session}&orgId=${device.orgId}`);
      return body.data.map((entry: { details: { n: string } }) => entry.details.n);
    };
    expect(await listed("s-77")).toEqual(["middle", "session"]);
    expect(await listed("s-7")).toEqual(["another session"]);
    expect(await listed("s-7,s-77")).toHaveLength(3);
    expect(await listed("s-")).toEqual([]);
  });

  it("rejects invalid parameters", async () => {
    for (const query of ["minutes=0", "minutes=61", "ties=colour", "sources=nothing", "limit=none"]) {
      const answer = await call(admin, `GET /audit-logs/logs/${middle}/around?${query}`);
      expect([answer.status, answer.body.errors?.length], query).toEqual([400, 1]);
    }
  });
});
