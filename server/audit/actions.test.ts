import fc from "fast-check";
import { expect, test } from "vitest";
import { actionLabel, actionSentence } from "./action-label";
import { ACTIONS, COMPLIANCE_ACTIONS, categoryOf, categorySql, SECURITY_ACTIONS } from "./actions";

test("the security and compliance lists are the specification's", () => {
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
])("%s is of category %s", (action, category) => {
  expect(categoryOf(action)).toBe(category);
});

test("the SQL form names every category and tests prefixes literally", () => {
  expect(categorySql("a.action")).toContain(
    "WHEN starts_with(a.action, 'policy.') OR starts_with(a.action, 'automation.policy.') THEN 'policy'",
  );
  expect(categorySql("a.action")).toMatch(/ELSE 'system' END$/);
});

test("known codes read as sentences", () => {
  expect(actionLabel("device.create")).toBe("created device");
  expect(actionSentence({ actor: "Jane Doe", action: "device.create", resourceName: "WS-042" })).toBe(
    "Jane Doe created device WS-042",
  );
  expect(actionSentence({ actor: "Jane Doe", action: "user.login", resourceName: "Jane Doe" })).toBe(
    "Jane Doe signed in",
  );
  expect(actionSentence({ actor: "A", action: "user.permission.change", resourceName: "$& Bob" })).toBe(
    "A changed the permissions of $& Bob",
  );
});

test("unknown codes are prettified", () => {
  expect(actionLabel("patch_job.approve")).toBe("approved patch job");
  expect(actionLabel("remote.session")).toBe("remote session");
  expect(actionLabel("constructor")).toBe("constructor");
  expect(actionLabel("...")).toBe("...");
});

test("no label is ever blank", () => {
  for (const code of Object.keys(ACTIONS)) expect(actionLabel(code).trim()).not.toBe("");
  fc.assert(fc.property(fc.string(), (code) => actionLabel(code).trim() !== ""));
});
