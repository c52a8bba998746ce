import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { userTotp } from "@/db/schema";
import { flushRecording } from "@/server/audit/record/record";
import { tailInput } from "@/server/audit/tail/schema";
import { tailEntries } from "@/server/audit/tail/tail";
import { appendEvents } from "@/testing/audit-entries";
import { auditRows, call, createOrg, createPartner, createUser, ctxFor, type TestUser } from "@/testing/factories";

const secure = (user: TestUser) =>
  asSystem((tx) => tx.insert(userTotp).values({ userId: user.id, secret: "sealed", confirmedAt: new Date() }));
const require = (token: TestUser, requireTwoFactor: boolean) =>
  call(token, "PATCH /orgs/partner", { requireTwoFactor });

it("one switch requires a second factor from all users of one partner only", async () => {
  const partner = await createPartner();
  const org = await createOrg({ partnerId: partner.id });
  const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
  const [member, colleague, foreign] = [
    await createUser({ orgId: org.id }),
    await createUser({ role: "partner_technician", partnerId: partner.id }),
    await createUser(),
  ];
  expect((await require(admin, true)).status).toBe(409);
  await secure(admin);
  expect((await require(admin, true)).body).toEqual({ id: partner.id, name: partner.name, requireTwoFactor: true });
  for (const user of [member, colleague]) expect((await call(user, "GET /orgs/organizations")).status).toBe(403);
  for (const user of [admin, foreign]) expect((await call(user, "GET /orgs/organizations")).status).toBe(200);
  await secure(member);
  expect((await call(member, "GET /orgs/organizations")).status).toBe(200);
  expect((await require(admin, false)).status).toBe(200);
  expect((await call(colleague, "GET /orgs/organizations")).status).toBe(200);
  const rows = (await auditRows(partner.homeOrgId)).filter(({ action }) => action === "partner.update");
  expect(rows.map(({ details }) => details)).toEqual([
    { before: { requireTwoFactor: false }, after: { requireTwoFactor: true } },
    { before: { requireTwoFactor: true }, after: { requireTwoFactor: false } },
  ]);
});

it("the platform operator can require a second factor without having one", async () => {
  const partner = await createPartner();
  const operator = await createUser({ role: "system_admin" });
  const body = { partnerId: partner.id, requireTwoFactor: true };
  expect((await call(operator, "PATCH /orgs/partner", body)).body).toMatchObject({
    requireTwoFactor: true,
  });
  expect((await call(operator, "GET /orgs/organizations")).status).toBe(200);
});

it("turning it on ends live views of users without a second factor", async () => {
  const partner = await createPartner();
  const org = await createOrg({ partnerId: partner.id });
  const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
  await secure(admin);
  const byOrganization = () => call(admin, `PATCH /orgs/organizations/${org.id}`, { requireTwoFactor: true });
  for (const turnOn of [byOrganization, () => require(admin, true)]) {
    const [member, secured] = [await createUser({ orgId: org.id }), await createUser({ orgId: org.id })];
    await secure(secured);
    // What was recorded before the views are opened is none of what they are sent.
    await flushRecording(60_000);
    const views = await Promise.all(
      [member, secured].map(async (user) => {
        const view = tailEntries(
          { ...(await ctxFor(user)), recheck: () => ctxFor(user) },
          tailInput.parse({}),
          600_000,
        );
        await view.next();
        return view;
      }),
    );
    const nexts = views.map((view) => view.next());
    expect((await turnOn()).status).toBe(200);
    await expect(nexts[0]).rejects.toMatchObject({ code: "unavailable" });
    await appendEvents([{ orgId: org.id }]);
    expect((await nexts[1])?.done).toBe(false);
    await Promise.all(views.map((view) => view.return(undefined)));
    await call(admin, `PATCH /orgs/organizations/${org.id}`, { requireTwoFactor: false });
  }
});

it("the setting is not available without access to the whole partner", async () => {
  const partner = await createPartner();
  const org = await createOrg({ partnerId: partner.id });
  const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
  for (const token of [limited, await createUser({ orgId: org.id })]) {
    expect((await call(token, "GET /orgs/partner")).status).toBe(403);
    expect((await require(token, false)).status).toBe(403);
  }
});

it("GET /users shows and filters by second factor", async () => {
  const admin = await createUser();
  const secured = await createUser({ orgId: admin.orgId as string });
  await secure(secured);
  const list = async (query: string) =>
    (await call(admin, `GET /users?${query}`)).body.data.map((u: { id: string; twoFactor: boolean }) => [
      u.id,
      u.twoFactor,
    ]);
  expect(new Map(await list(""))).toEqual(
    new Map([
      [admin.id, false],
      [secured.id, true],
    ]),
  );
  expect(await list("twoFactor=true")).toEqual([[secured.id, true]]);
  expect(await list("twoFactor=false")).toEqual([[admin.id, false]]);
});
