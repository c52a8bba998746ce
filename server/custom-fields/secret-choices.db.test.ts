import { expect, it } from "vitest";
import { auditRows, call, createDevice, createOrg, createPartner, createUser, ctxFor } from "@/testing/factories";
import { listDeviceValues } from "./values";

const OPTIONS = ["Summer24!", "Winter24!"];

async function arrange() {
  const partner = await createPartner();
  const org = await createOrg({ partnerId: partner.id });
  const admin = await createUser({ role: "org_admin", orgId: org.id, partnerId: partner.id });
  const viewer = await createUser({ role: "org_viewer", orgId: org.id, partnerId: partner.id });
  const create = async (secret: boolean) => {
    const body = { name: "Password", fieldKey: "password", type: "dropdown", options: OPTIONS, secret };
    const created = await call(admin, "POST /custom-fields", { ...body, defaultValue: OPTIONS[0] });
    return { id: created.body.id as string };
  };
  return { org, admin, viewer, create };
}

const audited = async (orgId: string): Promise<string> =>
  JSON.stringify(
    (await auditRows(orgId))
      .filter(({ action }) => action.startsWith("custom_field."))
      .map(({ action, details }) => ({ action, details })),
  );

it("a secret field's choices and default never enter the audit log", async () => {
  const { org, admin, create } = await arrange();
  const params = await create(true);
  await call(admin, `PATCH /custom-fields/${params.id}`, { name: "Local password" });
  await call(admin, `DELETE /custom-fields/${params.id}`);
  const entries = await audited(org.id);
  for (const action of ["create", "update", "delete"]) expect(entries).toContain(`custom_field.${action}`);
  expect(entries).not.toContain("24!");
});

it("marking or unmarking a field as secret is recorded without choices and default", async () => {
  const { org, admin, create } = await arrange();
  const params = await create(false);
  const before = (await audited(org.id)).split("24!").length;
  for (const secret of [true, false]) await call(admin, `PATCH /custom-fields/${params.id}`, { secret });
  const entries = await audited(org.id);
  expect(entries.match(/custom_field\.update/g)).toHaveLength(2);
  expect(entries.split("24!")).toHaveLength(before);
});

it("only people who may set its values see a secret field's choices and default", async () => {
  const { org, admin, viewer, create } = await arrange();
  const params = await create(true);
  const device = await createDevice({ orgId: org.id });
  const seenBy = async (user: typeof admin) => {
    const fields = await listDeviceValues.run(await ctxFor(user), { id: device.id });
    const [one, all] = [await call(user, `GET /custom-fields/${params.id}`), await call(user, "GET /custom-fields")];
    return [one.body.type, one.text, all.text, JSON.stringify(fields)];
  };
  const [type, ...seen] = await seenBy(viewer);
  expect(type).toBe("dropdown");
  for (const text of seen) expect(text).not.toContain("24!");
  for (const text of (await seenBy(admin)).slice(1)) expect(text).toContain("Winter24!");
});
