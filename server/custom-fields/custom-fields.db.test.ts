import { describe, expect, it } from "vitest";
import { call, createDevice, createOrg, createPartner, createUser } from "@/testing/factories";

async function arrange() {
  const partner = await createPartner();
  const [own, other] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
  const partnerAdmin = await createUser({ role: "partner_admin", partnerId: partner.id });
  const orgAdmin = await createUser({ role: "org_admin", orgId: own.id, partnerId: partner.id });
  const viewer = await createUser({ role: "org_viewer", orgId: own.id, partnerId: partner.id });
  const device = await createDevice({ orgId: own.id });
  return { partner, own, other, partnerAdmin, orgAdmin, viewer, device };
}
const field = (over: object = {}) => ({ name: "Asset tag", fieldKey: "asset_tag", type: "text", ...over });

describe("field definitions", () => {
  it("a partner creates fields for all organizations, an admin for their own", async () => {
    const { partnerAdmin, orgAdmin, own } = await arrange();
    const wide = await call(partnerAdmin, "POST /custom-fields", field());
    expect(wide.status).toBe(201);
    expect(wide.body).toMatchObject({ owner: "all_organizations", orgId: null, required: false, options: null });
    const mine = await call(orgAdmin, "POST /custom-fields", field({ fieldKey: "mine" }));
    expect(mine.body).toMatchObject({ owner: "organization", orgId: own.id });
    const seen = await call(orgAdmin, "GET /custom-fields");
    expect(seen.body.data.map((d: { fieldKey: string }) => d.fieldKey).sort()).toEqual(["asset_tag", "mine"]);
  });

  it("require unique keys per owner, and allow the same key for another owner", async () => {
    const { partnerAdmin, own } = await arrange();
    expect((await call(partnerAdmin, "POST /custom-fields", field())).status).toBe(201);
    expect((await call(partnerAdmin, "POST /custom-fields", field())).body.code).toBe("conflict");
    expect((await call(partnerAdmin, "POST /custom-fields", field({ orgId: own.id }))).status).toBe(201);
  });

  it.each([
    [field({ fieldKey: "Not a key" })],
    [field({ fieldKey: "id" })],
    [field({ type: "checkbox" })],
    [field({ type: "dropdown" })],
    [field({ options: ["a"] })],
    [field({ type: "dropdown", options: ["a", "a"] })],
    [field({ type: "number", defaultValue: "seven" })],
    [field({ type: "dropdown", options: ["a"], defaultValue: "b" })],
    [field({ name: " " })],
    [field({ surprise: 1 })],
  ])("reject %j", async (body) => {
    const { partnerAdmin } = await arrange();
    expect((await call(partnerAdmin, "POST /custom-fields", body)).body.code).toBe("validation_failed");
  });

  it.each([
    ["type", "number"],
    ["type", null],
    ["fieldKey", "other_key"],
  ])("reject a change of %s", async (path, value) => {
    const { partnerAdmin } = await arrange();
    const { id } = (await call(partnerAdmin, "POST /custom-fields", field())).body;
    const body = { name: "Renamed", [path]: value };
    const refused = await call(partnerAdmin, `PATCH /custom-fields/${id}`, body);
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path, message: "cannot be changed" }] } });
    const kept = await call(partnerAdmin, `GET /custom-fields/${id}`);
    expect(kept.body).toMatchObject({ name: "Asset tag", type: "text", fieldKey: "asset_tag" });
  });

  it("allow edits of shared fields only with access to all organizations", async () => {
    const { partner, own, other, partnerAdmin, device } = await arrange();
    const elsewhere = await createDevice({ orgId: other.id });
    const { id } = (await call(partnerAdmin, "POST /custom-fields", field())).body;
    const set = (on: string, token: typeof partnerAdmin) =>
      call(token, `PATCH /devices/${on}/custom-fields`, { asset_tag: "A-1" });
    await set(elsewhere.id, partnerAdmin);
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [own.id] });
    expect((await set(device.id, limited)).status).toBe(200);
    expect((await call(limited, `PATCH /custom-fields/${id}`, { name: "Mine" })).status).toBe(403);
    expect((await call(limited, `DELETE /custom-fields/${id}`)).status).toBe(403);
    const kept = await call(partnerAdmin, `GET /devices/${elsewhere.id}`);
    expect(kept.body.customFields).toMatchObject({ asset_tag: "A-1" });
    expect((await call(partnerAdmin, `DELETE /custom-fields/${id}`)).status).toBe(204);
  });

  it("are created for all organizations only with access to all of them", async () => {
    const { partner, own } = await arrange();
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [own.id] });
    for (const body of [field(), field({ owner: "all_organizations" })]) {
      const refused = await call(limited, "POST /custom-fields", body);
      expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("name the one whose field")]);
    }
    const mine = await call(limited, "POST /custom-fields", field({ orgId: own.id }));
    expect(mine.body).toMatchObject({ owner: "organization", orgId: own.id });
  });

  it("accept changed options", async () => {
    const { partnerAdmin } = await arrange();
    const created = await call(partnerAdmin, "POST /custom-fields", field({ type: "dropdown", options: ["a"] }));
    const changed = await call(partnerAdmin, `PATCH /custom-fields/${created.body.id}`, { options: ["a", "b"] });
    expect(changed.body.options).toEqual(["a", "b"]);
  });

  it("keep shared fields read-only for an organization's admin and hidden from strangers", async () => {
    const { partnerAdmin, orgAdmin, viewer } = await arrange();
    const created = await call(partnerAdmin, "POST /custom-fields", field());
    expect((await call(orgAdmin, `GET /custom-fields/${created.body.id}`)).status).toBe(200);
    expect((await call(orgAdmin, `PATCH /custom-fields/${created.body.id}`, { name: "x" })).status).toBe(403);
    expect((await call(orgAdmin, `DELETE /custom-fields/${created.body.id}`)).status).toBe(403);
    expect((await call(viewer, "POST /custom-fields", field({ fieldKey: "k" }))).status).toBe(403);
    expect((await call(orgAdmin, "POST /custom-fields", field({ owner: "all_organizations" }))).status).toBe(403);
    const stranger = await createUser({ role: "partner_admin" });
    expect((await call(stranger, `GET /custom-fields/${created.body.id}`)).status).toBe(404);
    expect((await call(stranger, `DELETE /custom-fields/${created.body.id}`)).status).toBe(404);
  });
});

describe("field values", () => {
  it("are set, shown and cleared by key", async () => {
    const { partnerAdmin, device } = await arrange();
    await call(partnerAdmin, "POST /custom-fields", field());
    await call(partnerAdmin, "POST /custom-fields", field({ fieldKey: "seats", type: "number", defaultValue: 1 }));
    const set = await call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, { asset_tag: "A-1", seats: 4 });
    expect(set.body).toEqual({ deviceId: device.id, customFields: { asset_tag: "A-1", seats: 4 } });
    await call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, { asset_tag: null, seats: null });
    const shown = await call(partnerAdmin, `GET /devices/${device.id}`);
    expect(shown.body.customFields).toEqual({ asset_tag: null, seats: 1 });
  });

  it.each([
    [{ asset_tag: 5 }],
    [{ seats: "four" }],
    [{ nobody: "x" }],
    [{ kind: "c" }],
    [{ bought: "2026-02-30" }],
    [{ on: "yes" }],
    [{ kind: null }],
    [{ asset_tag: "good", seats: "bad" }],
  ])("reject %j entirely", async (body) => {
    const { partnerAdmin, device } = await arrange();
    await call(partnerAdmin, "POST /custom-fields", field());
    await call(partnerAdmin, "POST /custom-fields", field({ fieldKey: "seats", type: "number" }));
    await call(partnerAdmin, "POST /custom-fields", field({ fieldKey: "on", type: "boolean" }));
    await call(partnerAdmin, "POST /custom-fields", field({ fieldKey: "bought", type: "date" }));
    const kind = field({ fieldKey: "kind", type: "dropdown", options: ["a", "b"], required: true });
    await call(partnerAdmin, "POST /custom-fields", kind);
    const answer = await call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, body);
    expect(answer.body.code).toBe("validation_failed");
    const shown = await call(partnerAdmin, `GET /devices/${device.id}`);
    expect(Object.values(shown.body.customFields).every((v) => v === null)).toBe(true);
  });

  it("keep a number exactly as given, or reject it", async () => {
    const { partnerAdmin, device } = await arrange();
    const seats = (over = {}) => field({ fieldKey: "seats", type: "number", ...over });
    const set = (value: number) => call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, { seats: value });
    await call(partnerAdmin, "POST /custom-fields", seats());
    for (const value of [2 ** 53 - 1, 1 - 2 ** 53, 0.1 + 0.2, 1.5e-7])
      expect((await set(value)).body.customFields.seats).toBe(value);
    const detail = "seats: is a whole number beyond 9007199254740991, which would be rounded";
    for (const value of [2 ** 53, -(2 ** 63), 1e300]) expect((await set(value)).body.detail).toBe(detail);
    const created = await call(partnerAdmin, "POST /custom-fields", seats({ fieldKey: "more", defaultValue: 2 ** 53 }));
    expect(created.body.detail).toMatch(/^defaultValue: is a whole number beyond/);
    const write = (body: string) => call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, body);
    for (const [digits, value] of [
      ["1.50", 1.5],
      ["15e-1", 1.5],
      ["-0", 0],
    ] as const)
      expect((await write(`{"seats":${digits}}`)).body.customFields.seats).toBe(value);
    for (const digits of ["0.12345678901234567890", "1e400", "1e-400", "9007199254740993", "0.1000000000000000055"])
      expect((await write(`{"seats":${digits}}`)).body.detail).toBe(
        "seats: has more digits than are kept, it would be rounded",
      );
    const body = field({ fieldKey: "tax", type: "number", defaultValue: "@" });
    const asText = JSON.stringify(body).replace(/"@"/, "0.12345678901234567890");
    expect((await call(partnerAdmin, "POST /custom-fields", asText)).body.detail).toMatch(/^defaultValue: has more/);
    const tax = (await call(partnerAdmin, "POST /custom-fields", { ...body, defaultValue: 0.5 })).body;
    const change = '{"defaultValue":0.12345678901234567890}';
    const changed = await call(partnerAdmin, `PATCH /custom-fields/${tax.id}`, change);
    expect(changed.body.detail).toMatch(/^defaultValue: has more/);
  });

  it("use an organization's own field before a shared one with the same key", async () => {
    const { partnerAdmin, own, device } = await arrange();
    await call(partnerAdmin, "POST /custom-fields", field());
    await call(partnerAdmin, "POST /custom-fields", field({ type: "number", orgId: own.id }));
    const set = await call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, { asset_tag: 7 });
    expect(set.body.customFields).toEqual({ asset_tag: 7 });
  });

  it("mask secret fields without permission to manage fields", async () => {
    const { partnerAdmin, viewer, device } = await arrange();
    await call(partnerAdmin, "POST /custom-fields", field({ secret: true }));
    await call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, { asset_tag: "hunter2" });
    expect((await call(viewer, `GET /devices/${device.id}`)).text).not.toContain("hunter2");
    expect((await call(partnerAdmin, `GET /devices/${device.id}`)).body.customFields.asset_tag).toBe("hunter2");
    // Nor are they found out by asking which devices have them.
    const holds = async (token: typeof viewer) =>
      (await call(token, "GET /devices?fieldKey=asset_tag&fieldValue=hunter2")).body.pagination.total;
    expect([await holds(viewer), await holds(partnerAdmin)]).toEqual([0, 1]);
  });

  it("can be searched to find devices", async () => {
    const { partnerAdmin, own, device } = await arrange();
    await createDevice({ orgId: own.id });
    await call(partnerAdmin, "POST /custom-fields", field({ type: "number" }));
    await call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, { asset_tag: 7 });
    const found = await call(partnerAdmin, "GET /devices?fieldKey=asset_tag&fieldValue=7");
    expect(found.body.data.map((d: { id: string }) => d.id)).toEqual([device.id]);
    const none = await call(partnerAdmin, "GET /devices?fieldKey=asset_tag&fieldValue=seven");
    expect(none.body.pagination.total).toBe(0);
  });

  it("are deleted with their field", async () => {
    const { partnerAdmin, device } = await arrange();
    const created = await call(partnerAdmin, "POST /custom-fields", field());
    await call(partnerAdmin, `PATCH /devices/${device.id}/custom-fields`, { asset_tag: "A-1" });
    expect((await call(partnerAdmin, `DELETE /custom-fields/${created.body.id}`)).status).toBe(204);
    await call(partnerAdmin, "POST /custom-fields", field());
    expect((await call(partnerAdmin, `GET /devices/${device.id}`)).body.customFields).toEqual({
      asset_tag: null,
    });
  });
});
