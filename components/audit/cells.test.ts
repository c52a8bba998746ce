import { expect, test } from "vitest";
import { doorOf } from "./cells";
import type { Entry } from "./entry";

const ID = "0190a000-0000-7000-8000-000000000001";
const ENTRY = {
  orgId: ID,
  ipAddress: "2001:db8::1",
  user: { id: ID, name: "Jane Doe", email: "jane@example.com" },
  resource: { type: "policy", id: ID, name: "Antivirus" },
  details: {},
} as unknown as Entry;
const AGENT = { ...ENTRY.user, name: "Agent (WS 042)" };

test("a name leads to the page of what it names", () => {
  expect(doorOf("type", ENTRY)).toBe(`/actors/${ID}`);
  expect(doorOf("org", ENTRY)).toBe(`/organizations/${ID}`);
  expect(doorOf("ip", ENTRY)).toBe("/addresses?ip=2001%3Adb8%3A%3A1");
  expect(doorOf("seq", ENTRY)).toBeNull();
});

test("an agent's name leads to its device", () => {
  const elsewhere: Entry = { ...ENTRY, user: AGENT };
  expect(doorOf("type", elsewhere)).toBe("/devices?search=WS%20042");
  const own: Entry = { ...elsewhere, resource: { type: "device", id: ID, name: "WS 042" } };
  expect(doorOf("type", own)).toBe(`/devices/${ID}`);
});

test("a name without a page leads nowhere", () => {
  const nobody: Entry = {
    ...ENTRY,
    ipAddress: "",
    user: { ...ENTRY.user, id: "00000000-0000-0000-0000-000000000000" },
  };
  expect(doorOf("type", nobody)).toBeNull();
  expect(doorOf("ip", nobody)).toBeNull();
  expect(doorOf("device", nobody)).toBeNull();
  expect(doorOf("resourceType", nobody)).toBeNull();
});
