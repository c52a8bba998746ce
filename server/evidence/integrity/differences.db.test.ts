import { expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { differencesIn } from "@/server/audit/record/sample";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { auditRow, auditRows, roles, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { openAlarms } from "./alarm";
import { raiseDifferences } from "./heads";
import { judgeChain } from "./judge";

it("compares every column of stored rows with the sent values", async () => {
  const { id: orgId } = await createOrg();
  const details = '{"n": 1.0, "b": [null, "x"], "a": {"z": 1, "y": 2}}';
  const full = { details, resourceId: orgId, userAgent: "", errorMessage: "no", timestamp: "2025-11-20T14:06:00.123Z" };
  const rows = [auditRow(orgId, full), auditRow(orgId, { details: null }), auditRow((await createOrg()).id)];
  await appendAudit(roles.app, rows);
  expect(await differencesIn(rows)).toEqual([]);
  const [first] = rows;
  for (const [column, value] of [
    ["actor_email", "bob@example.test"],
    ["timestamp", "2025-11-20T14:06:00.124Z"],
    ["details", '{"n": 2}'],
    ["user_agent", null],
    ["error_message", "nO"],
  ] as const) {
    await tamper((tx) => tx`UPDATE audit_logs SET ${tx({ [column]: value })} WHERE id = ${first?.id ?? ""}`);
    expect((await differencesIn(rows)).flatMap(({ seq, columns }) => [seq, ...columns])).toContain(column);
  }
  const submitted = (name: string, over = {}) => JSON.stringify({ submittedBy: { id: orgId, name }, ...over });
  const [old, later] = ["2025-11-20T14:06:00.123Z", "2025-11-20T14:07:00.000Z"];
  const event = auditRow(orgId, { timestamp: old, details: submitted("a") });
  await appendAudit(roles.app, [event]);
  const again = { ...event, timestamp: later, details: submitted("b") };
  expect(await differencesIn([again])).toEqual([]);
  expect(await differencesIn([{ ...again, details: submitted("b", { n: 1 }) }])).toMatchObject([
    { columns: ["details"] },
  ]);
  const gone = auditRow(orgId);
  expect(await differencesIn([gone])).toMatchObject([{ orgId, id: gone.id, seq: 0 }]);
});

it("a row changed by the database raises an alarm and stops signing", async () => {
  const { id: orgId } = await createOrg();
  const rows = auditRows(orgId, 3);
  await appendAudit(
    roles.app,
    rows.map((row) => ({ ...row, actorEmail: "bob@example.test" })),
  );
  await raiseDifferences(await differencesIn(rows));
  const found = { id: rows[0]?.id, seq: 1, kind: "altered", actual: "another actor_email" };
  expect(await signCheckpoint(orgId)).toMatchObject({ kind: "refused", breaks: [found, {}, {}] });
  expect(await judgeChain(orgId)).toMatchObject({ status: "broken", breaks: [found, {}, {}] });
  const alarms = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  expect(alarms).toMatchObject([{ source: "recording", breaks: [found, {}, {}] }]);
});
