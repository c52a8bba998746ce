import { distance } from "fastest-levenshtein";
import { z } from "zod";
import { AppError } from "@/server/ground/errors";
import { repairText } from "@/server/ground/text";
import { branchesOf, type Json, propertiesOf } from "./reference/describe";

/**
 * Parameters of an address, repaired for the database. A repeated one becomes a list, appended in place: an address has
 * room for thousands, from any client.
 */
export function queryOf(url: string): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const at = url.indexOf("?");
  if (at < 0) return input;
  for (const [name, value] of new URLSearchParams(url.slice(at))) {
    const before = Object.hasOwn(input, name) ? input[name] : undefined;
    if (Array.isArray(before)) before.push(repairText(value));
    else input[name] = before === undefined ? repairText(value) : [before, repairText(value)];
  }
  return input;
}

const membersOf = (schema: Json): string[] => [
  ...propertiesOf(schema).flatMap(([name, member]) => ("not" in member ? [] : [name])),
  ...branchesOf(schema).flatMap(membersOf),
];

/** Members of each input schema, cached on first use. */
const members = new WeakMap<z.ZodType, string[]>();

function knownIn(input: z.ZodType): string[] {
  const known = members.get(input) ?? membersOf(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }));
  members.set(input, known);
  return known;
}

/** Parameters named in one refusal, and characters of a name compared and repeated. */
const MAX_NAMED = 50;
const MAX_NAME = 100;

function nearest(name: string, known: readonly string[]): string | undefined {
  const written = name.toLowerCase();
  const far = (one: string) => distance(written, one.toLowerCase());
  return known.length === 0 ? undefined : known.reduce((best, one) => (far(one) < far(best) ? one : best));
}

/**
 * Refuses unknown parameters: a mistyped filter would silently widen the answer.
 * @param elsewhere members given by path or header
 * @throws AppError validation_error, which names the nearest known parameter
 */
export function requireKnown(query: Json, input: z.ZodType, elsewhere: readonly string[] = []): void {
  const given = Object.keys(query);
  if (given.length === 0) return;
  const known = knownIn(input).filter((name) => !elsewhere.includes(name));
  const errors = given
    .filter((name) => !known.includes(name))
    .slice(0, MAX_NAMED)
    .map((long) => {
      const path = long.slice(0, MAX_NAME);
      const near = nearest(path, known);
      return { path, message: `is not a query parameter here; ${near ? `the nearest is ${near}` : "there are none"}` };
    });
  const [first] = errors;
  if (first) throw new AppError("validation_error", `${first.path} ${first.message}.`, { errors });
}
