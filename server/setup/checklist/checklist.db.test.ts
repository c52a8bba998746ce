import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { userTotp } from "@/db/schema";
import { keepVerification } from "@/server/evidence/integrity/verifications";
import { roles, tamper } from "@/testing/chain";
import {
  createApiKey,
  createDevice,
  createEnrollmentKey,
  createOrg,
  createPartner,
  createUser,
  ctxFor,
} from "@/testing/factories";
import { dismissChecklist, getChecklist } from "./checklist";

const intact = (orgId: string) =>
  keepVerification(
    {
      ...{ orgId, status: "intact", reasons: [], rowsChecked: 2, firstSeq: 1, lastSeq: 2, breaks: [] },
      covered: { lastSeq: 2 },
    },
    "whole",
  );

it("checks off each step once it happened", async () => {
  const partner = await createPartner();
  const user = await createUser({ role: "partner_admin", partnerId: partner.id });
  const done = async () => {
    const list = await getChecklist.run(await ctxFor(user), undefined);
    // Backups and witnesses are the installation's, which all tests share.
    return list?.steps
      .filter(({ step, done }) => done && step !== "backup" && step !== "witness")
      .map(({ step }) => step);
  };
  expect(await done()).toEqual([]);
  const { id: orgId } = await createOrg({ partnerId: partner.id });
  expect(await done()).toEqual(["organization"]);
  await createEnrollmentKey({ orgId });
  expect(await done()).toEqual(["organization", "enrollment_key"]);
  await createDevice({ orgId });
  expect(await done()).toEqual(["organization", "enrollment_key"]);
  await createDevice({ orgId, lastSeenAt: new Date() });
  expect(await done()).toEqual(["organization", "enrollment_key", "agent"]);
  await intact(orgId);
  await tamper(
    (tx) => tx`UPDATE audit_verifications SET ran_at = ran_at - interval '1 minute' WHERE org_id = ${orgId}`,
  );
  // Pages read before the device joined do not show it.
  expect(await done()).toEqual(["organization", "enrollment_key", "agent"]);
  await intact(orgId);
  expect(await done()).toEqual(["organization", "enrollment_key", "agent", "verified"]);
  await asSystem((tx) => tx.insert(userTotp).values({ userId: user.id, secret: "sealed", confirmedAt: null }));
  expect(await done()).not.toContain("two_factor");
  await roles.owner`UPDATE user_totp SET confirmed_at = now() WHERE user_id = ${user.id}`;
  expect(await done()).toContain("two_factor");
});

it("checks off backups by the newest one", async () => {
  const user = await createUser({ role: "partner_admin" });
  await roles.owner`INSERT INTO backup_runs (kind, taken_at, file, bytes, has_keys)
    VALUES ('backup', now(), 'trailmark.backup', 1, true)`;
  const list = await getChecklist.run(await ctxFor(user), undefined);
  expect(list?.steps).toContainEqual({ step: "backup", done: true });
  expect(list?.lastBackupAt).toMatch(/^20/);
});

it("shows nothing of another partner, and nothing to other roles or API keys", async () => {
  const { id: orgId } = await createOrg();
  await createDevice({ orgId, lastSeenAt: new Date() });
  await intact(orgId);
  const stranger = await ctxFor("partner_admin");
  const list = await getChecklist.run(stranger, undefined);
  expect(list).toMatchObject({ orgId: null, dismissed: false });
  expect(list?.steps.find(({ step }) => step === "agent")).toEqual({ step: "agent", done: false });
  for (const role of ["org_admin", "org_viewer", "partner_technician"] as const)
    expect(await getChecklist.run(await ctxFor(role), undefined)).toBeNull();
  const key = await ctxFor(await createApiKey({ permissions: ["organizations:manage"] }));
  expect(await getChecklist.run(key, undefined)).toBeNull();
  await expect(dismissChecklist.run(key, { dismissed: true })).rejects.toMatchObject({ code: "forbidden" });
});

it("the checklist is dismissed and restored per user", async () => {
  const partnerId = (await createPartner()).id;
  const [one, other] = [
    await ctxFor(await createUser({ role: "partner_admin", partnerId })),
    await ctxFor(await createUser({ role: "partner_admin", partnerId })),
  ];
  await dismissChecklist.run(one, { dismissed: true });
  expect(await getChecklist.run(one, undefined)).toMatchObject({ dismissed: true });
  expect(await getChecklist.run(other, undefined)).toMatchObject({ dismissed: false });
  await dismissChecklist.run(one, { dismissed: false });
  expect(await getChecklist.run(one, undefined)).toMatchObject({ dismissed: false });
});
