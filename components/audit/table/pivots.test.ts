import { expect, test } from "vitest";
import type { ColumnId } from "@/components/audit/state/table-params";
import { loadView } from "@/components/audit/state/view";
import { listedEntry } from "@/testing/listed-entry";
import { pivotsOf } from "./pivots";

const NOTHING = loadView(new URLSearchParams());
const ID = "0190a000-0000-7000-8000-000000000001";
const ENTRY = listedEntry({
  id: ID,
  action: "device.create",
  result: "denied",
  resource: { type: "device", id: ID, name: "WS-042" },
});

const pivots = (column: ColumnId, { entry = ENTRY, view = NOTHING } = {}) =>
  pivotsOf({ entry, column }, view, { zone: "UTC", orgName: () => "Contoso" });
const changes = (column: ColumnId, at = {}) =>
  Object.fromEntries(
    pivots(column, at).map((p) => [
      p.label,
      "change" in p ? p.change : "copy" in p ? p.copy : "path" in p ? p.path : p.pin,
    ]),
  );

test("a cell is filtered for, filtered out and copied", () => {
  const found = changes("ip");
  expect(found["Filter for 192.0.2.1"]).toMatchObject({ ip: "192.0.2.1", cursor: null, row: null });
  expect(found["Filter out 192.0.2.1"]).toMatchObject({ exclude: "ip:192.0.2.1" });
  expect(found.Copy).toBe("192.0.2.1");
});

test("a cell opens the page of what it names", () => {
  expect(changes("ip")["Open 192.0.2.1"]).toBe("/addresses?ip=192.0.2.1");
  expect(changes("org")["Open Contoso"]).toBe(`/organizations/${ID}`);
  expect(changes("type")["Open Jane Doe"]).toBe(`/actors/${ID}`);
  expect(Object.keys(changes("seq"))).not.toContainEqual(expect.stringMatching(/^Open /));
});

test("an agent's name opens its device, by id where the entry is about it", () => {
  const agent = { ...ENTRY, user: { ...ENTRY.user, name: "Agent (WS 042)" } };
  const elsewhere = { ...agent, resource: { type: "policy", id: ID, name: "Antivirus" } };
  const own = { ...agent, resource: { type: "device", id: ID, name: "WS 042" } };
  expect(Object.values(changes("type", { entry: elsewhere }))).toContain("/devices?search=WS%20042");
  expect(Object.values(changes("type", { entry: own }))).toContain(`/devices/${ID}`);
});

test("a value without a page opens none", () => {
  const nobody = { ...ENTRY, user: { ...ENTRY.user, id: "00000000-0000-0000-0000-000000000000" } };
  const entry = { ...nobody, ipAddress: "", resource: { type: "policy", id: ID, name: "Antivirus" } };
  for (const column of ["type", "ip", "device"] as const)
    expect(Object.keys(changes(column, { entry }))).not.toContainEqual(expect.stringMatching(/^Open /));
});

test("labels are display texts, values are URL values", () => {
  expect(changes("result")["Filter for Denied"]).toMatchObject({ result: "denied" });
  expect(changes("org")["Filter for Contoso"]).toMatchObject({ orgId: ID });
  expect(changes("event")["Filter for Jane Doe"]).toMatchObject({ actorId: ID });
  expect(changes("device")["Filter for WS-042"]).toMatchObject({ device: "WS-042" });
});

test("filtering out keeps other exclusions and clears the same filter", () => {
  const view = { ...NOTHING, excludeActions: "user.login", actions: "device.create" };
  expect(changes("action", { view })["Filter out device.create"]).toMatchObject({
    excludeActions: "user.login,device.create",
    actions: null,
  });
});

test("timeline and history clear other filters and keep the range", () => {
  const timeline = changes("seq")["Timeline of Jane Doe"];
  expect(timeline).toMatchObject({ actorId: ID, result: null, q: null });
  expect(timeline).not.toHaveProperty("range");
  const bot = { ...ENTRY, details: { rawActorId: "bot, 7" } };
  expect(changes("seq", { entry: bot })["Timeline of Jane Doe"]).toMatchObject({ rawActorId: '"bot, 7"' });
  expect(changes("seq")["History of WS-042"]).toMatchObject({ resourceId: ID, actorId: null });
  for (const id of ["", "00000000-0000-0000-0000-000000000000"]) {
    const entry = { ...ENTRY, resource: { type: "policy", id, name: "USB, CD & more" } };
    expect(changes("seq", { entry })["History of USB, CD & more"]).toMatchObject({
      resource: '"USB, CD & more"',
      resourceType: "policy",
      resourceId: null,
    });
  }
});

test("a time opens the entries around it", () => {
  expect(changes("time")["Show five minutes around it"]).toMatchObject({
    range: null,
    from: new Date("2026-11-20T09:55:00Z"),
    to: new Date("2026-11-20T10:05:00Z"),
  });
});

test("an empty cell has only the links that every cell has", () => {
  const entry = { ...ENTRY, ipAddress: "", resource: { type: "report", id: "", name: "" } };
  expect(changes("ip", { entry })).toEqual({
    "Timeline of Jane Doe": expect.anything(),
    "Everything around this moment": `/audit/${ID}/around`,
    "Pin to compare": ID,
  });
});
