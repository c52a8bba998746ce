import { expect, it } from "vitest";
import { Evaluation, type Finding, type Group } from "@/server/detections/evaluate/engine";
import { parseRule } from "@/server/detections/rule/parse";
import { entryOf, RULE_STORIES, type Told } from "@/testing/detections";
import { SHIPPED_RULES } from "./rules";

function raisedBy(yaml: string, told: readonly Told[]): Finding[] {
  const of = { ruleId: "r", orgId: "o", rule: parseRule(yaml), dedupeMs: 3_600_000, exceptions: [] };
  const evaluation = new Evaluation(of);
  const groups = new Map<string, Group>();
  return told.flatMap(({ minute, ...over }, i) => {
    const timestamp = new Date(Date.UTC(2026, 10, 20, 12) + minute * 60_000).toISOString();
    const entry = entryOf({ timestamp, chainSeq: i + 1, ...over });
    const finding = evaluation.concerns(entry) ? evaluation.take(entry, groups, 0) : null;
    return finding?.kind === "raise" ? [finding] : [];
  });
}

it.for(SHIPPED_RULES)("$key raises one alert for its story and none for a harmless one", ({ key, yaml }) => {
  const story = RULE_STORIES[key];
  expect(raisedBy(yaml, story?.alarming ?? [])).toHaveLength(1);
  expect(story?.harmless.length).toBeGreaterThan(0);
  expect(raisedBy(yaml, story?.harmless ?? [])).toEqual([]);
});

it.for(SHIPPED_RULES)("$key describes its meaning and response, and is narrowed in SQL", ({ yaml }) => {
  const { description, actions, firstSeen } = parseRule(yaml);
  expect(description).toMatch(/^[A-Z].+\.\n\nWhat to do: .+\.$/s);
  expect(actions ?? firstSeen).not.toBeNull();
});
