import { describe, expect, it } from "vitest";
import type { FullEntry } from "@/server/audit/schema";
import { parseRule } from "@/server/detections/rule/parse";
import { entryOf } from "@/testing/detections";
import { Evaluation, type Finding, type Group } from "./engine";

const BASE =
  "name: base\ntitle: base\nlogsource: {product: trailmark}\ndetection: {s: {action: device.delete}, condition: s}\n";
const count = (over: string, type = "event_count") =>
  `${BASE}---\ntitle: Many\ncorrelation: {type: ${type}, rules: [base], timespan: 10m, ${over}}\n`;

type Told = Partial<FullEntry> & { minute: number };
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, 0) + minute * 60_000).toISOString();

/** Each entry's finding, by the sequence at which it came. */
function run(
  yaml: string,
  told: Told[],
  { dedupeMs = 0, exceptions = [] }: { dedupeMs?: number; exceptions?: ((e: FullEntry) => boolean)[] } = {},
) {
  const of = { ruleId: "r", orgId: "o", rule: parseRule(yaml), dedupeMs, exceptions };
  const evaluation = new Evaluation(of);
  const groups = new Map<string, Group>();
  const findings: Finding[] = [];
  let newestMs = 0;
  for (const [i, { minute, ...over }] of told.entries()) {
    const entry = entryOf({ timestamp: at(minute), chainSeq: i + 1, ...over });
    if (!evaluation.concerns(entry)) continue;
    const finding = evaluation.take(entry, groups, newestMs);
    if (finding) findings.push(finding);
    newestMs = Math.max(newestMs, Date.parse(entry.timestamp));
  }
  return findings;
}
const person = (name: string) => ({ user: { id: name, name, email: "", role: "" } });
const brief = (findings: Finding[]) => findings.map(({ kind, seqs }) => [kind, seqs]);

describe("event_count", () => {
  it("fires at the threshold within the timespan, not below", () => {
    const yaml = count("condition: {gte: 3}");
    expect(brief(run(yaml, [{ minute: 0 }, { minute: 5 }, { minute: 10 }]))).toEqual([["raise", [1, 2, 3]]]);
    expect(run(yaml, [{ minute: 0 }, { minute: 5 }, { minute: 10.1 }])).toEqual([]);
  });

  it("counts each user separately", () => {
    const told = ["a", "b", "a", "b", "a"].map((name, i) => ({ minute: i, ...person(name) }));
    const findings = run(count("group-by: [user.id], condition: {gte: 3}"), told);
    expect(findings.map(({ group, seqs }) => [group, seqs])).toEqual([[[{ field: "user.id", value: "a" }], [1, 3, 5]]]);
  });

  it("counts a late entry at its own time and marks the alert as late", () => {
    const yaml = count("condition: {gte: 3}");
    const [finding] = run(yaml, [{ minute: 0 }, { minute: 30 }, { minute: 2 }, { minute: 9 }]);
    expect(finding).toMatchObject({ seqs: [1, 3, 4], isLate: true });
    expect(run(yaml, [{ minute: 0 }, { minute: 6 }, { minute: 2 }])[0]?.isLate).toBe(false);
  });
});

it("value_count counts distinct values", () => {
  const device = (name: string, minute: number) => ({ minute, resource: { type: "device", id: "", name } });
  const yaml = count("condition: {field: resource.name, gte: 3}", "value_count");
  expect(run(yaml, [device("a", 0), device("a", 1), device("b", 2), device("b", 3)])).toEqual([]);
  expect(brief(run(yaml, [device("a", 0), device("b", 1), device("a", 2), device("c", 3)]))).toEqual([
    ["raise", [2, 3, 4]],
  ]);
});

const STORY = `name: failed
title: failed
logsource: {product: trailmark}
detection: {s: {action: user.login.failed}, condition: s}
---
name: three
title: three
correlation: {type: event_count, rules: [failed], group-by: [user.id], timespan: 30m, condition: {gte: 3}}
---
name: export
title: export
logsource: {product: trailmark}
detection: {s: {action: audit_logs.export}, condition: s}
---
title: Export after failed sign-ins
correlation: {type: TYPE, rules: [three, export], group-by: [user.id], timespan: 30m}
`;
const failed = (minute: number) => ({ minute, action: "user.login.failed" });
const exported = (minute: number) => ({ minute, action: "audit_logs.export" });

describe("temporal correlations", () => {
  it("temporal_ordered matches only in order", () => {
    const yaml = STORY.replace("TYPE", "temporal_ordered");
    expect(brief(run(yaml, [failed(0), failed(1), failed(2), exported(20)]))).toEqual([["raise", [1, 2, 3, 4]]]);
    expect(run(yaml, [exported(0), failed(1), failed(2), failed(3)])).toEqual([]);
    expect(run(yaml, [failed(0), failed(1), failed(2), exported(33)])).toEqual([]);
    expect(run(yaml, [failed(0), failed(1), exported(20)])).toEqual([]);
  });

  it("temporal matches in any order", () => {
    const yaml = STORY.replace("TYPE", "temporal");
    expect(run(yaml, [exported(0), failed(1), failed(2), failed(3)])).toHaveLength(1);
  });
});

describe("alert grouping", () => {
  it("joins matching alerts for an hour, then starts a new one", () => {
    const findings = run(
      BASE,
      [0, 30, 61].map((minute) => ({ minute })),
      { dedupeMs: 3_600_000 },
    );
    expect(findings.map(({ kind }) => kind)).toEqual(["raise", "join", "raise"]);
    expect(findings[1]?.alertId).toBe(findings[0]?.alertId);
    expect(findings[2]?.alertId).not.toBe(findings[0]?.alertId);
  });

  it("gives the same entries the same alert ID", () => {
    expect(run(BASE, [{ minute: 0 }])[0]?.alertId).toBe(run(BASE, [{ minute: 0 }])[0]?.alertId);
  });

  it("raises no alerts about alerts or exceptions", () => {
    const any = BASE.replace("action: device.delete", "result: success");
    expect(run(any, [{ minute: 0, action: "detection.alert.raise" }])).toEqual([]);
    expect(run(any, [{ minute: 0 }], { exceptions: [(e) => e.user.name === "Jane Doe"] })).toEqual([]);
  });
});
