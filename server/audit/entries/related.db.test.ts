import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor, type TestOrg, type TestUser } from "@/testing/factories";
import { listRelated } from "./get";

const at = (second: number) => new Date(Date.UTC(2026, 9, 1, 12, 0, second));
const RAW = "a1b2c3d4e5f6";

describe("related entries", () => {
  let org: TestOrg;
  let jane: TestUser;
  const device = randomUUID();
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    org = await createOrg();
    const other = await createOrg();
    jane = await createUser({ orgId: org.id, role: "org_viewer" });
    const byJane = { orgId: org.id, actorType: "user" as const, actorId: jane.id };
    const rows = {
      entry: { ...byJane, timestamp: at(0), resourceId: device, ipAddress: "203.0.113.9" },
      sameActor: { ...byJane, timestamp: at(300), resourceId: randomUUID() },
      sameResource: { orgId: org.id, timestamp: at(-300), resourceId: device },
      sameAddress: { orgId: org.id, timestamp: at(10), ipAddress: "203.0.113.9" },
      tooLate: { ...byJane, timestamp: at(301), resourceId: device, ipAddress: "203.0.113.9" },
      foreign: { ...byJane, orgId: other.id, timestamp: at(1), resourceId: device, ipAddress: "203.0.113.9" },
      agent: { orgId: org.id, actorType: "agent" as const, actorId: RAW, timestamp: at(5000), resourceName: "WS-042" },
      sameAgent: {
        orgId: org.id,
        actorType: "agent" as const,
        actorId: RAW,
        timestamp: at(5001),
        resourceName: "WS_042",
      },
      sameName: { orgId: org.id, timestamp: at(5002), resourceName: "WS-042" },
      foreignId: { orgId: org.id, timestamp: at(7000), resourceId: "srv-7", resourceName: "Server 7" },
      sameForeignId: { orgId: org.id, timestamp: at(7001), resourceId: "srv-7", resourceName: "Renamed" },
      otherForeignId: { orgId: org.id, timestamp: at(7002), resourceId: "srv-8", resourceName: "Server 7" },
      nothing: { orgId: org.id, timestamp: at(9000), resourceType: "system" },
    };
    const stored = await appendEvents(Object.values(rows));
    Object.keys(rows).forEach((name, i) => {
      ids[name] = stored[i]?.id as string;
    });
  });

  const relatedTo = async (name: string) => {
    const found = await listRelated.run(await ctxFor(jane), { id: ids[name] as string });
    const nameOf = (id: string) => Object.keys(ids).find((key) => ids[key] === id);
    const names = (rows: { id: string }[]) => rows.map((row) => nameOf(row.id));
    return { actor: names(found.actor), resource: names(found.resource), address: names(found.address) };
  };

  it("share the actor, resource or address within five minutes, in one organization", async () => {
    expect(await relatedTo("entry")).toEqual({
      actor: ["sameActor"],
      resource: ["sameResource"],
      address: ["sameAddress"],
    });
  });

  it("match by raw ID or resource name when there is no UUID", async () => {
    expect(await relatedTo("agent")).toEqual({ actor: ["sameAgent"], resource: ["sameName"], address: [] });
    expect(await relatedTo("foreignId")).toEqual({ actor: [], resource: ["sameForeignId"], address: [] });
    expect(await relatedTo("nothing")).toEqual({ actor: [], resource: [], address: [] });
  });

  it("are limited to the newest ten, with a flag when there are more", async () => {
    const busy = randomUUID();
    const rows = await appendEvents(
      Array.from({ length: 13 }, (_, i) => ({ orgId: org.id, timestamp: at(20_000 + i), resourceId: busy })),
    );
    const found = await listRelated.run(await ctxFor(jane), { id: rows[0]?.id as string });
    expect(found.resource.map((row) => row.id)).toEqual(
      rows
        .slice(3)
        .reverse()
        .map((row) => row.id),
    );
    expect(found.cut).toEqual(["resource"]);
  });

  it("report no more entries when a list has exactly ten", async () => {
    const busy = randomUUID();
    const rows = await appendEvents(
      Array.from({ length: 11 }, (_, i) => ({ orgId: org.id, timestamp: at(30_000 + i), resourceId: busy })),
    );
    const { resource, cut } = await listRelated.run(await ctxFor(jane), { id: rows[0]?.id as string });
    expect([resource.length, cut]).toEqual([10, []]);
  });
});
