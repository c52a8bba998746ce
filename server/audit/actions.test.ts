import fc from "fast-check";
import { expect, test } from "vitest";
import { actionLabel, actionSentence, type SentenceParts, sentenceWords } from "./action-label";
import { ACTIONS, COMPLIANCE_ACTIONS, categoryOf, SECURITY_ACTIONS } from "./actions";
import type { AuditResult } from "./vocabulary";

test("security and compliance action lists match the specification", () => {
  expect([...SECURITY_ACTIONS].sort()).toEqual(
    [
      "user.login",
      "user.login.failed",
      "user.permission.change",
      "policy.update",
      "policy.create",
      "policy.evaluate",
      "automation.policy.evaluate",
      "agent.source.ip.changed",
    ].sort(),
  );
  expect([...COMPLIANCE_ACTIONS].sort()).toEqual(
    [
      "data.access",
      "data.export",
      "device.create",
      "device.delete",
      "policy.update",
      "policy.evaluate",
      "automation.policy.evaluate",
      "script.execute",
      "organization.update",
    ].sort(),
  );
});

test.each([
  ["user.login.failed", "authentication"],
  ["user.logout", "authentication"],
  ["user.permission.change", "authentication"],
  ["user.create", "system"],
  ["device.create", "device"],
  ["script.execute", "automation"],
  ["automation.policy.evaluate", "policy"],
  ["policy.create", "policy"],
  ["alert.create", "alert"],
  ["data.export", "compliance"],
  ["organization.audit_retention.update", "organization"],
  ["agent.eventlogs.submit", "system"],
  ["devices.list", "system"],
  ["anything", "system"],
])("categorizes %s as %s", (action, category) => {
  expect(categoryOf(action)).toBe(category);
});

const told = (action: string, result: AuditResult, more: Partial<SentenceParts> & { reason?: string } = {}) =>
  actionSentence({ actor: "Jane Doe", action, result, ...more });

test("labels say whether the action succeeded, failed or was denied", () => {
  expect(actionLabel("device.create")).toBe("created device");
  const device = { resourceName: "WS-042" };
  expect(told("device.create", "success", device)).toBe("Jane Doe created device WS-042");
  expect(told("audit_logs.export", "failure", { resourceName: "Audit log", reason: "disk full" })).toBe(
    "Jane Doe tried to export audit logs, which failed: disk full",
  );
  expect(told("audit_logs.export", "denied")).toBe("Jane Doe was denied permission to export audit logs");
  expect(told("user.permission.change", "denied", { resourceName: "$& Bob" })).toBe(
    "Jane Doe was denied permission to change the permissions of $& Bob",
  );
  expect(told("user.login", "success", { resourceName: "Jane Doe" })).toBe("Jane Doe signed in");
  expect(told("user.login.failed", "failure")).toBe("Jane Doe failed to sign in");
  expect(told("user.login.failed", "denied")).toBe("Jane Doe failed to sign in");
  const reused = { resourceName: "Jane Doe", reason: "A refresh token was used twice." };
  expect(told("user.token.reuse", "denied", reused)).toBe(
    "Jane Doe reused a refresh token: A refresh token was used twice.",
  );
});

test("labels name the device from the details, and an agent's own device only once", () => {
  expect(told("alert.create", "success", { resourceName: "Disk full", device: "WS-1" })).toBe(
    "Jane Doe raised alert Disk full on WS-1",
  );
  expect(told("policy.evaluate", "failure", { resourceName: "BitLocker", device: "WS-1", reason: "2 differ" })).toBe(
    "Jane Doe tried to evaluate policy BitLocker on WS-1, which failed: 2 differ",
  );
  const onIt = { resourceName: "WS-1", resourceType: "device" };
  expect(told("script.execute", "success", onIt)).toBe("Jane Doe executed script on WS-1");
  expect(told("script.execute", "success", { ...onIt, resourceType: "script" })).toBe("Jane Doe executed script WS-1");
  expect(told("device.update", "denied", onIt)).toBe("Jane Doe was denied permission to update device WS-1");
  const own = { resourceName: "WS-1", isOwn: true };
  expect(told("agent.enroll", "success", { ...own, organization: "Contoso" })).toBe("Jane Doe joined Contoso");
  expect(told("agent.enroll", "success", own)).toBe("Jane Doe joined");
  expect(told("agent.eventlogs.submit", "success", own)).toBe("Jane Doe submitted event logs");
});

test("strips bidirectional control characters from names in labels", () => {
  expect(told("policy.update", "failure", { resourceName: "a\u202egnp.exe", reason: "\u2066b" })).toBe(
    "Jane Doe tried to update policy a[U+202E]gnp.exe, which failed: [U+2066]b",
  );
});

test("search matches the words shown in labels", () => {
  expect(sentenceWords("patch_job.approve", "success")).toContain("approved patch job");
  expect(sentenceWords("device.create", "denied")).toContain("was denied permission to create device");
  expect(sentenceWords("device.create", "success")).not.toMatch(/denied|\{/);
});

test("derives a label for an unknown action code", () => {
  expect(actionLabel("patch_job.approve")).toBe("approved patch job");
  expect(actionLabel("remote.session")).toBe("remote session");
  expect(actionLabel("constructor")).toBe("constructor");
  expect(actionLabel("device.constructor")).toBe("device constructor");
  expect(actionLabel("...")).toBe("...");
});

test("never returns a blank label", () => {
  for (const code of Object.keys(ACTIONS)) expect(actionLabel(code).trim()).not.toBe("");
  fc.assert(fc.property(fc.string(), (code) => actionLabel(code).trim() !== ""));
});
