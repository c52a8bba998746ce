import { expect, it } from "vitest";
import { submitInput } from "./schema";

const faultOf = (action: string) => {
  const event = { actorType: "system", actorId: "x", action, resourceType: "x", result: "success" };
  const issue = submitInput.safeParse({ events: [event, event] }).error?.issues[0];
  return issue && `${issue.path.join(".")} ${issue.message}`;
};

it.each([
  "audit.retention.prune",
  "audit.chain.head.repair",
  "audit.",
  "audit_logs.evidence",
  "AUDIT_LOGS.Export",
  "  audit.retention.prune",
  "\u00a0audit.x",
  "\u200baudit.x",
  "\ufeffaudit.x",
  "au\u200ddit.x",
  "a\u00adudit.x",
  "audit .x",
  "audit\u2060.x",
  "audit\u2024x",
  "audit\uff0ex",
  "\uff41udit.x",
  "\u{1d41a}udit.x",
  "audi\u0307t.x",
  "\u00e1udit.x",
  "audit\uff3flogs.x",
])("a submitted event may not be called %j, which a reader takes for the server's own word", (action) => {
  expect(faultOf(action)).toBe("events.0.action is recorded by the server alone");
});

it.each(["audit", "auditor.created", "device.audit.x", "audits.x", "audit_log.x", "x.audit_logs.y"])(
  "%j is another system's to say",
  (action) => expect(faultOf(action)).toBeUndefined(),
);
