import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { agentStreams } from "@/db/schema";
import {
  call,
  changeRows,
  createDevice,
  createOrg,
  createUser,
  type TestDevice,
  type TestOrg,
  type TestUser,
} from "@/testing/factories";

describe("GET /devices", () => {
  let org: TestOrg;
  let sibling: TestOrg;
  let viewer: TestUser;
  let partner: TestUser;
  let fresh: TestDevice;
  let stale: TestDevice;
  let elsewhere: TestDevice;

  beforeAll(async () => {
    org = await createOrg();
    sibling = await createOrg({ partnerId: org.partnerId });
    viewer = await createUser({ role: "org_viewer", orgId: org.id });
    partner = await createUser({ role: "partner_technician", partnerId: org.partnerId });
    fresh = await createDevice({ orgId: org.id, hostname: "alpha_1", lastSeenAt: new Date() });
    stale = await createDevice({ orgId: org.id, hostname: "Beta-1", os: "Windows", lastSeenAt: new Date(0) });
    elsewhere = await createDevice({ orgId: sibling.id, hostname: "alphaX1" });
    await createDevice({ hostname: "alpha-of-somebody-else" });
  });

  const list = (token: TestUser, query = "") => call(token, `GET /devices${query}`);
  const names = async (token: TestUser, query = "") =>
    (await list(token, query)).body.data.map((d: { hostname: string }) => d.hostname).sort();

  it("lists the devices of the user's organization, or of all for a partner user", async () => {
    expect(await names(viewer)).toEqual(["Beta-1", "alpha_1"]);
    expect(await names(partner)).toEqual(["Beta-1", "alphaX1", "alpha_1"]);
    expect(await names(partner, `?orgId=${sibling.id}`)).toEqual(["alphaX1"]);
  });

  it("filters by hostname in any case with literal wildcards, by os and by presence", async () => {
    expect(await names(partner, "?search=ALPHA")).toEqual(["alphaX1", "alpha_1"]);
    expect(await names(partner, "?search=alpha_1")).toEqual(["alpha_1"]);
    expect(await names(partner, "?search=%25")).toEqual([]);
    expect(await names(partner, "?search=%00")).toEqual([]);
    expect(await names(partner, "?os=windows")).toEqual(["Beta-1"]);
    expect(await names(partner, "?online=true")).toEqual(["alpha_1"]);
    expect(await names(partner, "?online=false")).toEqual(["Beta-1", "alphaX1"]);
  });

  it("paginates and rejects a limit over 100", async () => {
    const second = await list(partner, "?limit=2&page=2");
    expect(second.body).toMatchObject({ pagination: { page: 2, limit: 2, total: 3, totalPages: 2 } });
    expect(second.body.data).toHaveLength(1);
    expect((await list(partner, "?limit=5000")).body).toMatchObject({
      code: "validation_failed",
      detail: "limit: is over 100, the maximum",
    });
    expect((await list(partner, "?page=1000000000")).body.data).toEqual([]);
  });

  it("returns one device with its presence", async () => {
    const one = (token: TestUser, id: string) => call(token, `GET /devices/${id}`);
    expect((await one(viewer, fresh.id)).body).toMatchObject({ id: fresh.id, agentId: fresh.agentId, online: true });
    expect((await one(viewer, stale.id)).body).toMatchObject({ online: false, lastSeenAt: new Date(0).toISOString() });
    expect((await one(partner, elsewhere.id)).status).toBe(200);
  });

  it("was last seen when its stream ended, if that is later than its last request", async () => {
    const device = await createDevice({ orgId: org.id, hostname: "streaming", lastSeenAt: new Date(0) });
    const at = new Date();
    const stream = {
      agentId: device.agentId,
      orgId: org.id,
      deviceId: device.id,
      connectedAt: new Date(0),
      beatAt: at,
    };
    await asSystem((tx) =>
      tx.insert(agentStreams).values({ ...stream, processId: crypto.randomUUID(), streamId: crypto.randomUUID() }),
    );
    const one = async () => (await call(viewer, `GET /devices/${device.id}`)).body;
    expect(await one()).toMatchObject({ online: true, lastSeenAt: at.toISOString() });
    const closedAt = new Date(at.getTime() - 60_000);
    await changeRows(agentStreams, { deviceId: device.id }, { closedAt });
    expect(await one()).toMatchObject({ online: false, lastSeenAt: closedAt.toISOString() });
  });

  it("is offline once its agent reports stopping, and online with its next heartbeat", async () => {
    const device = await createDevice({ orgId: org.id, hostname: "stopping" });
    const onlineAfter = async (body: object) => {
      await call(device, `POST /agents/${device.agentId}/heartbeat`, body);
      return (await call(viewer, `GET /devices/${device.id}`)).body.online;
    };
    expect(await onlineAfter({ status: "running" })).toBe(true);
    expect(await onlineAfter({ status: "stopped" })).toBe(false);
    expect(await onlineAfter({})).toBe(true);
  });
});
