import type { Matcher } from "@/server/detections/rule/match";
import { matcherOf } from "@/server/detections/rule/match";
import { parseRule, type Rule } from "@/server/detections/rule/parse";

/** Compiled rules by the digest of their text: rules run every second and rarely change. */
const compiled = new Map<string, Rule>();
const MAX_COMPILED = 1_000;

export function compiledRule({ digest, yaml }: { digest: string; yaml: string }): Rule {
  const found = compiled.get(digest);
  if (found) return found;
  const rule = parseRule(yaml);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(rule.digest, rule);
  return rule;
}

/** An exception as a condition: all fields must match. @throws AppError validation_failed */
export function exceptionOf(fields: Readonly<Record<string, string>>): Matcher {
  const lines = Object.entries(fields).map(([key, value]) => matcherOf(key, value).matches);
  return (entry) => lines.every((matches) => matches(entry));
}

/** Longest time that an event counts in a rule: the sum of its nested windows. */
export const spanOf = ({ root }: Rule): number => {
  const visit = (node: Rule["root"]): number =>
    node.kind === "entry" ? 0 : node.window.timespanMs + Math.max(0, ...node.of.map(visit));
  return visit(root);
};
