import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import { shortName } from "./placeholders";
import { type DeviceFacts, type DeviceIndex, type RowIdentity, resolveRow } from "./resolve-row";

type Given = Partial<DeviceFacts> & { hostname: string };
function world(devices: Given[], hasSourceIds = true) {
  const facts = devices.map((d, i) => ({ id: `d${i}`, orgId: "a", os: "windows", serial: null, recorded: [], ...d }));
  const byShortName = new Map<string, DeviceFacts[]>();
  const bySourceId = new Map<string, DeviceFacts[]>();
  for (const device of facts) {
    const short = shortName(device.hostname);
    byShortName.set(short, [...(byShortName.get(short) ?? []), device]);
    for (const id of device.recorded) bySourceId.set(id, [...(bySourceId.get(id) ?? []), device]);
  }
  const orgsByName = new Map([
    [normaliseHeader("Acme Ltd."), new Set(["a"])],
    [normaliseHeader("Beta"), new Set(["b"])],
  ]);
  return { bySourceId, byShortName, orgsByName, hasSourceIds } satisfies DeviceIndex;
}
const row = (over: Partial<RowIdentity>): RowIdentity => ({
  sourceId: null,
  hostname: null,
  organization: null,
  serial: null,
  ...over,
});
function outcome(given: Partial<RowIdentity>, devices: Given[], hasSourceIds = true) {
  const match = resolveRow(row(given), world(devices, hasSourceIds));
  return "device" in match ? `${match.kind} ${match.device.id}` : match.kind;
}

const pc = (hostname: string, ...recorded: string[]): Given => ({ hostname, recorded });
const id = (sourceId: string, hostname: string) => ({ sourceId, hostname });

describe("resolveRow", () => {
  it.for<[string, Partial<RowIdentity>, Given[], string]>([
    ["finds a recorded source ID", id("1", "pc1"), [pc("PC1", "1")], "matched_source_id d0"],
    ["finds a renamed device by its source ID", id("1", "old"), [pc("new", "1")], "matched_source_id d0"],
    ["does not match a reused hostname", id("1", "old"), [pc("new", "1"), pc("old")], "identity_conflict"],
    [
      "does not match a device of the same name in another domain",
      id("1", "ws1.west.contoso.com"),
      [pc("ws1.east.contoso.com", "1"), pc("WS1.west.contoso.com")],
      "identity_conflict",
    ],
    [
      "finds a device moved to another domain despite others with its short name",
      id("1", "ws1.west.contoso.com"),
      [pc("ws1.east.contoso.com", "1"), pc("ws1"), pc("ws1.north")],
      "matched_source_id d0",
    ],
    [
      "matches a name without a domain to the recorded device",
      id("1", "ws1"),
      [pc("ws1.east.contoso.com", "1"), pc("ws1.west.contoso.com")],
      "matched_source_id d0",
    ],
    ["falls back to the hostname in any case", id("1", "pc1"), [pc("PC1")], "matched_hostname d0"],
    ["ignores a domain suffix on either side", { hostname: "pc1" }, [pc("PC1.corp.local")], "matched_hostname d0"],
    ["ignores the row's domain suffix", { hostname: "pc1.corp.local" }, [pc("PC1")], "matched_hostname d0"],
    ["does not ignore differing domain suffixes", { hostname: "pc1.a.local" }, [pc("pc1.b.local")], "not_found"],
    [
      "does not ignore a domain suffix if the name is ambiguous without it",
      { hostname: "pc1" },
      [pc("pc1.a"), pc("pc1.b")],
      "ambiguous",
    ],
    ["prefers the exact name", { hostname: "pc1.a" }, [pc("pc1.a"), pc("pc1.b")], "matched_hostname d0"],
    ["reports two devices of one name", id("1", "pc1"), [pc("pc1"), pc("PC1")], "ambiguous"],
    ["looks only at devices without a recorded source ID", id("2", "pc1"), [pc("pc1", "1")], "identity_conflict"],
    [
      "does not match a device just because it is the only one left",
      id("2", "pc1"),
      [pc("pc1", "1"), pc("pc1")],
      "ambiguous",
    ],
    [
      "narrows by organization",
      { hostname: "pc1", organization: "beta" },
      [pc("pc1"), { ...pc("pc1"), orgId: "b" }],
      "matched_hostname d1",
    ],
    ["ignores an unknown organization", { hostname: "pc1", organization: "Gamma" }, [pc("pc1")], "not_found"],
    [
      "narrows by serial number",
      { hostname: "pc1", serial: "S2" },
      [
        { ...pc("pc1"), serial: "S1" },
        { ...pc("pc1"), serial: "s2" },
      ],
      "matched_hostname d1",
    ],
    [
      "cannot rule out a device whose serial number is unknown",
      { hostname: "pc1", serial: "S2" },
      [pc("pc1"), { ...pc("pc1"), serial: "s2" }],
      "ambiguous",
    ],
    ["never matches by serial number alone", { serial: "S2" }, [{ ...pc("pc1"), serial: "S2" }], "not_found"],
    ["treats an IP address as a whole name", { hostname: "10.0.0.1" }, [pc("10.0.0.2")], "not_found"],
    ["finds nothing", id("9", "pc9"), [pc("pc1")], "not_found"],
  ])("%s", ([_, given, devices, expected]) => expect(outcome(given, devices)).toBe(expected));

  it("names both source IDs when a hostname moved to another computer", () => {
    const match = resolveRow(row(id("199", "pc1")), world([pc("PC1", "103")]));
    expect(match).toMatchObject({ kind: "identity_conflict", candidates: [{ id: "d0" }] });
    expect("reason" in match && match.reason).toMatch(/199.*recorded under 103/);
  });

  it("reports a placeholder as a placeholder", () => {
    const match = resolveRow(row({ sourceId: "134", placeholder: "Default string" }), world([{ hostname: "pc1" }]));
    expect(match).toEqual({
      kind: "not_found",
      reason: "Default string is a placeholder, not a name, and is never matched",
    });
  });

  it("searches all devices when the file has no source IDs", () => {
    expect(outcome({ hostname: "pc1" }, [{ hostname: "pc1", recorded: ["1"] }], false)).toBe("matched_hostname d0");
  });

  it("finds no match when the row could mean another device", () => {
    const name = fc.constantFrom("a", "A", "a.x", "a.y", "a.x.y", "b", "b.x", "10.0.0.1", "10.0.0.2");
    const id = fc.constantFrom("1", "2", "3");
    const serial = fc.constantFrom(null, "s1", "S1", "s2");
    const device = fc.record({
      hostname: name,
      orgId: fc.constantFrom("a", "b"),
      serial,
      recorded: fc.uniqueArray(id, { maxLength: 2 }),
    });
    const given = fc.record({
      sourceId: fc.option(id),
      hostname: fc.option(name),
      organization: fc.constantFrom(null, "Acme Ltd.", "beta", "Nobody"),
      serial,
    });
    const orgOf: Record<string, string> = { "Acme Ltd.": "a", beta: "b" };
    fc.assert(
      fc.property(given, fc.array(device, { maxLength: 6 }), (identity, devices) => {
        const index = world(devices);
        const match = resolveRow(row(identity), index);
        if (!("device" in match)) return;
        const all = [...index.byShortName.values()].flat();
        const lower = identity.hostname?.toLowerCase();
        const alike = all.filter(
          (d) =>
            identity.hostname !== null &&
            shortName(d.hostname) === shortName(identity.hostname) &&
            (identity.organization === null || orgOf[identity.organization] === d.orgId) &&
            (identity.serial === null || d.serial === null || d.serial.toLowerCase() === identity.serial.toLowerCase()),
        );
        const exact = alike.filter((d) => d.hostname.toLowerCase() === lower);
        const holders = all.filter((d) => identity.sourceId !== null && d.recorded.includes(identity.sourceId));
        if (match.kind === "matched_source_id") {
          expect(holders).toEqual([match.device]);
          const [short, own] = [shortName(lower ?? ""), match.device.hostname.toLowerCase()];
          const isWithoutDomain = lower === short || own === short;
          const hasItsName = lower === undefined || own === lower || (shortName(own) === short && isWithoutDomain);
          const bearers = all.filter((d) => d.hostname.toLowerCase() === lower);
          expect(hasItsName || bearers.length === 0).toBe(true);
        } else {
          expect(holders).toEqual([]);
          expect(exact.length > 0 ? exact : alike).toEqual([match.device]);
          expect(match.device.recorded).toEqual([]);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
