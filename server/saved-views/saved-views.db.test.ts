import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import type { Ctx } from "@/server/ground/context";
import { auditRows, createApiKey, createOrg, createPartner, createUser, ctxFor } from "@/testing/factories";
import { createSavedView, listSavedViews, removeSavedView, updateSavedView } from "./saved-views";
import { createInput, MAX_VIEWS_PER_PERSON, type SavedView, savedView, savedViewList } from "./schema";

async function arrange() {
  const partner = await createPartner();
  const [own, other] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
  const of = (role: "org_admin" | "org_technician" | "org_viewer", orgId = own.id) =>
    createUser({ role, orgId, partnerId: partner.id }).then((user) => ctxFor(user));
  const atPartner = (role: "partner_admin" | "partner_technician") =>
    createUser({ role, partnerId: partner.id }).then((user) => ctxFor(user));
  return { partner, own, other, of, atPartner };
}

const create = async (ctx: Ctx, over: object = {}): Promise<SavedView> =>
  savedView.parse(
    await createSavedView.run(ctx, createInput.parse({ name: "Denied", query: "result=denied", ...over })),
  );
const names = async (ctx: Ctx) => savedViewList.parse(await listSavedViews.run(ctx, {})).data.map((v) => v.name);
const share = (orgId: string | null) => ({ sharedWith: { orgId } });

describe("private views", () => {
  it("are stored, listed by name and visible to their owner only", async () => {
    const { of } = await arrange();
    const [creator, admin] = [await of("org_viewer"), await of("org_admin")];
    await create(creator, { name: "zeta" });
    await create(creator, { name: "Alpha" });
    expect(await names(creator)).toEqual(["Alpha", "zeta"]);
    expect(await names(admin)).toEqual([]);
  });

  it("can be changed and deleted by their owner only; others get not_found", async () => {
    const { of, atPartner } = await arrange();
    const creator = await of("org_technician");
    const { id } = await create(creator);
    for (const stranger of [await of("org_admin"), await atPartner("partner_admin"), await ctxFor("org_admin")]) {
      await expect(updateSavedView.run(stranger, { id, name: "Mine now" })).rejects.toMatchObject({
        code: "not_found",
      });
      await expect(removeSavedView.run(stranger, { id })).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await updateSavedView.run(creator, { id, query: "result=failure" })).toMatchObject({
      query: "result=failure",
    });
    await removeSavedView.run(creator, { id });
    expect(await names(creator)).toEqual([]);
  });

  it("have unique names in any case; a duplicate is a conflict on that field", async () => {
    const { of } = await arrange();
    const creator = await of("org_viewer");
    await create(creator);
    const conflict = { code: "conflict", extra: { errors: [{ path: "name" }] } };
    await expect(create(creator, { name: "DENIED" })).rejects.toMatchObject(conflict);
    const second = await create(creator, { name: "Other" });
    await expect(updateSavedView.run(creator, { id: second.id, name: "denied" })).rejects.toMatchObject(conflict);
    await create(await of("org_viewer"));
  });

  it("are limited in number, and the error says to delete one first", async () => {
    const { own, of } = await arrange();
    const creator = await of("org_viewer");
    const person = creator.actor as { id: string };
    await asSystem((tx) =>
      tx.execute(sql`
        INSERT INTO audit_saved_views (org_id, created_by, created_by_name, name, query)
        SELECT ${own.id}::uuid, ${person.id}::uuid, 'x', 'View ' || n, '' FROM generate_series(1, ${MAX_VIEWS_PER_PERSON}) n`),
    );
    await expect(create(creator)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("delete one first"),
    });
  });

  it("are not available to API keys", async () => {
    const key = await ctxFor(await createApiKey());
    await expect(create(key)).rejects.toMatchObject({ code: "forbidden" });
    expect(await names(key)).toEqual([]);
  });
});

describe("shared views", () => {
  it("are visible to everyone in the organization and no one outside", async () => {
    const { own, other, of, atPartner } = await arrange();
    await create(await of("org_technician"), share(own.id));
    expect(await names(await of("org_viewer"))).toEqual(["Denied"]);
    expect(await names(await atPartner("partner_technician"))).toEqual(["Denied"]);
    expect(await names(await of("org_admin", other.id))).toEqual([]);
    expect(await names(await ctxFor("partner_admin"))).toEqual([]);
  });

  it("show a partner's views to partner staff only", async () => {
    const { of, atPartner } = await arrange();
    const { id } = await create(await atPartner("partner_technician"), share(null));
    expect(await names(await atPartner("partner_admin"))).toEqual(["Denied"]);
    const customer = await of("org_admin");
    expect(await names(customer)).toEqual([]);
    await expect(removeSavedView.run(customer, { id })).rejects.toMatchObject({ code: "not_found" });
  });

  it("hide a partner's views from staff with selected organizations", async () => {
    const { partner, own, atPartner } = await arrange();
    const { id } = await create(await atPartner("partner_technician"), share(null));
    const reach = { partnerId: partner.id, organizationIds: [own.id] };
    const limited = await ctxFor(await createUser({ role: "partner_admin", ...reach }));
    expect(await names(limited)).toEqual([]);
    await expect(removeSavedView.run(limited, { id })).rejects.toMatchObject({ code: "not_found" });
    await expect(create(limited, share(null))).rejects.toMatchObject({ code: "forbidden" });
    await create(limited, { name: "Ours", ...share(own.id) });
    expect(await names(limited)).toEqual(["Ours"]);
  });

  it("can be changed by their owner and administrators, not by colleagues", async () => {
    const { own, of, atPartner } = await arrange();
    const { id } = await create(await of("org_technician"), share(own.id));
    for (const colleague of [await of("org_technician"), await of("org_viewer"), await atPartner("partner_technician")])
      await expect(updateSavedView.run(colleague, { id, name: "x" })).rejects.toMatchObject({ code: "forbidden" });
    for (const admin of [await of("org_admin"), await atPartner("partner_admin")])
      expect(await updateSavedView.run(admin, { id, name: "Tended" })).toMatchObject({ name: "Tended", isMine: false });
  });

  it("cannot be created by viewers or for a foreign organization or partner", async () => {
    const { own, other, of } = await arrange();
    await expect(create(await of("org_viewer"), share(own.id))).rejects.toMatchObject({ code: "forbidden" });
    await expect(create(await of("org_admin"), share(other.id))).rejects.toMatchObject({ code: "forbidden" });
    await expect(create(await of("org_admin"), share(null))).rejects.toMatchObject({ code: "forbidden" });
    const mine = await create(await of("org_viewer"));
    expect(mine.sharedWith).toBeNull();
  });

  it("become private again when sharing stops", async () => {
    const { own, of } = await arrange();
    const [creator, colleague] = [await of("org_technician"), await of("org_viewer")];
    const { id } = await create(creator, share(own.id));
    expect(await updateSavedView.run(creator, { id, sharedWith: null })).toMatchObject({ sharedWith: null });
    expect(await names(colleague)).toEqual([]);
    expect(await names(creator)).toEqual(["Denied"]);
  });
});

it("platform operators see every partner's shared views", async () => {
  const operator = await ctxFor("system_admin");
  const name = `Operator ${crypto.randomUUID()}`;
  await create(operator, { name });
  expect(await names(operator)).toContain(name);
  await expect(create(operator, { name: `${name} 2`, ...share(null) })).rejects.toMatchObject({
    code: "validation_failed",
  });
});

it("records creation, change and deletion", async () => {
  const { own, of } = await arrange();
  const creator = await of("org_admin");
  const { id } = await create(creator);
  await updateSavedView.run(creator, { id, name: "Refused", sharedWith: { orgId: own.id } });
  await removeSavedView.run(creator, { id });
  const rows = await auditRows(own.id);
  expect(rows.map((r) => [r.action, r.resourceName])).toEqual([
    ["audit.view.create", "Denied"],
    ["audit.view.update", "Refused"],
    ["audit.view.delete", "Refused"],
  ]);
  expect(rows[1]?.details).toMatchObject({ before: { sharedWith: null }, after: { sharedWith: { orgId: own.id } } });
});

describe("audit entries of a shared view", () => {
  it("go to the previous and the new audience, each with its own side only", async () => {
    const { partner, own, other, atPartner } = await arrange();
    const chief = await atPartner("partner_admin");
    const { id } = await create(chief, { name: "Jane at Own", query: "user=jane", ...share(own.id) });
    await updateSavedView.run(chief, { id, name: "Bob", query: "user=bob", ...share(other.id) });
    await updateSavedView.run(chief, { id, ...share(null) });
    const updates = async (orgId: string) =>
      (await auditRows(orgId))
        .filter(({ action }) => action === "audit.view.update")
        .map(({ resourceName, details }) => [resourceName, details]);
    const [jane, bob] = [
      { name: "Jane at Own", query: "user=jane" },
      { name: "Bob", query: "user=bob" },
    ];
    expect(await updates(own.id)).toEqual([
      ["Jane at Own", { before: { ...jane, ...share(own.id) }, after: { sharedWith: "another organization" } }],
    ]);
    expect(await updates(other.id)).toEqual([
      ["Bob", { after: { ...bob, ...share(other.id) } }],
      ["Bob", { before: { ...bob, ...share(other.id) }, after: share(null) }],
    ]);
    expect(await updates(partner.homeOrgId)).toEqual([["Bob", { after: { ...bob, ...share(null) } }]]);
  });

  it("go to the owner only once sharing has stopped", async () => {
    const { partner, own, atPartner } = await arrange();
    const chief = await atPartner("partner_admin");
    const { id } = await create(chief, { name: "Ours", ...share(own.id) });
    await updateSavedView.run(chief, { id, name: "Fabrikam", sharedWith: null });
    await updateSavedView.run(chief, { id, name: "Fabrikam again" });
    await removeSavedView.run(chief, { id });
    const told = await auditRows(own.id);
    expect(told.map(({ action, resourceName }) => [action, resourceName])).toEqual([
      ["audit.view.create", "Ours"],
      ["audit.view.update", "Ours"],
    ]);
    expect(told[1]?.details).toMatchObject({ after: { sharedWith: null } });
    expect(JSON.stringify(told.map(({ details }) => details))).not.toContain("Fabrikam");
    expect((await auditRows(partner.homeOrgId)).map(({ action }) => action)).toEqual([
      "audit.view.update",
      "audit.view.update",
      "audit.view.delete",
    ]);
  });

  it("go to the previous audience when someone else stops sharing", async () => {
    const { partner, own, of, atPartner } = await arrange();
    const operator = await ctxFor(await createUser({ role: "system_admin" }));
    for (const tending of [await atPartner("partner_admin"), operator]) {
      const { id } = await create(await of("org_admin"), { name: "Theirs", query: "user=jane", ...share(own.id) });
      await updateSavedView.run(tending, { id, name: "Withdrawn", sharedWith: null });
      const last = (await auditRows(own.id)).at(-1);
      expect(last).toMatchObject({ action: "audit.view.update", resourceName: "Withdrawn" });
      expect(last?.details).toMatchObject({
        before: { name: "Theirs" },
        after: { name: "Withdrawn", sharedWith: null },
      });
    }
    expect(await auditRows(partner.homeOrgId)).toEqual([]);
  });

  it("do not reveal the view's earlier name to a new audience", async () => {
    const { partner, own, atPartner } = await arrange();
    const chief = await atPartner("partner_admin");
    const { id } = await create(chief, { name: "Fabrikam" });
    await updateSavedView.run(chief, { id, name: "Denied", ...share(own.id) });
    expect(JSON.stringify((await auditRows(own.id)).map(({ details }) => details))).not.toContain("Fabrikam");
    const update = (await auditRows(partner.homeOrgId)).find(({ action }) => action === "audit.view.update");
    expect(update).toMatchObject({ resourceName: "Fabrikam", details: { after: share(own.id) } });
  });
});

it.each([["org=x"], ["row=1"], ["cursor=1"], ["a=1&a=2"], ["<b>=1"], ["=1"]])("rejects %j as a query", (query) => {
  expect(createInput.safeParse({ name: "x", query }).success).toBe(false);
});

it("rejects a blank name and overlong values", () => {
  for (const input of [{ name: "  " }, { name: "x".repeat(81) }, { query: `q=${"x".repeat(4000)}` }])
    expect(createInput.safeParse({ name: "x", query: "", ...input }).success).toBe(false);
});
