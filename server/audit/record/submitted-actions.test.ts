import { expect, it } from "vitest";
import { submitInput } from "./schema";

const faultOf = (over: object) => {
  const event = {
    actorType: "system",
    actorId: "x",
    action: "x.create",
    resourceType: "x",
    result: "success",
    ...over,
  };
  const issue = submitInput.safeParse({ events: [event, event] }).error?.issues[0];
  return issue && `${issue.path.join(".")} ${issue.message}`;
};

it.each([
  "audit.retention.prune",
  "audit.chain.head.repair",
  "audit.",
  "audit_logs.evidence",
  "organization.audit_retention.update",
  "organization:audit-retention.update",
  "changed_audit_retention",
  "audit-logs.export",
  "audit__logs.export",
  "auditlogs.export",
  "audit:retention",
  "audit_logs:export",
  "exported.audit_logs",
  "export_audit_logs",
  "verified_the_audit-chain",
])("rejects a submitted action %j that is reserved for the server", (action) => {
  expect(faultOf({ action })).toBe("events.0.action is recorded by the server alone");
});

it.each([
  "AUDIT_LOGS.Export",
  "  audit.retention.prune",
  "\u200baudit.x",
  "a\u00adudit.x",
  "audit .x",
  "audit\u2024x",
  "\uff41udit.x",
  "\u00e1udit.x",
  "\u0430udit_logs.export",
  "device.cre\u03b1te",
  ".x",
])("rejects the code %j for its characters", (action) => {
  expect(faultOf({ action })).toBe(
    "events.0.action must be lower-case letters, digits and _ . : -, and begin with a letter or digit",
  );
});

it.each([
  "audit",
  "auditor.created",
  "device.audit.x",
  "audits.x",
  "audit_log.x",
  "x.audit_logs.y",
  "audit_policy.update",
])("accepts the submitted action %j", (action) => expect(faultOf({ action })).toBeUndefined());

it.each([
  "submittedBy",
  "SUBMITTED_BY",
  "submitted-by",
  "submitted\u200bBy",
  "\uff53ubmittedBy",
  "submi\u0307ttedBy",
  " rawActorId",
  "raw.resource.id",
])("rejects the reserved member %j in submitted details", (name) => {
  expect(faultOf({ details: { site: "Berlin", [name]: "x" } })).toBe(`events.0.details.${name} is set by the server`);
});

it("accepts other member names and nested members in submitted details", () => {
  expect(faultOf({ details: { submitted: true, by: "x", change: { submittedBy: "jane" } } })).toBeUndefined();
});
