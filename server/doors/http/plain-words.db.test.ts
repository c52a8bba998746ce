import { expect, it } from "vitest";
import { z } from "zod";
import { appRouter } from "@/server/doors/trpc/root";
import { invalidInput } from "@/server/ground/errors";
import { OF_ZOD } from "@/testing/api/fuzz";
import { listEndpoints } from "./openapi";
import { routes } from "./routes.generated";

const ofRest = listEndpoints(routes).map(({ method, path, spec }): [string, z.ZodType] => [
  `${method} ${path}`,
  spec.input,
]);
type Procedure = { _def: { inputs: unknown[] } };
const ofTrpc = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>).flatMap(
  ([path, { _def }]) =>
    _def.inputs.flatMap((input): [string, z.ZodType][] => (input instanceof z.ZodType ? [[path, input]] : [])),
);
const schemas = [...ofRest, ...ofTrpc];

/** The names of members anywhere in a JSON schema. */
function namesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  if ("properties" in value && typeof value.properties === "object" && value.properties !== null)
    for (const name of Object.keys(value.properties)) found.add(name);
  for (const inner of Object.values(value)) namesIn(inner, found);
  return found;
}
const namesOf = (schema: z.ZodType): string[] => [
  ...new Set(
    (["input", "output"] as const).flatMap((io) => [
      ...namesIn(z.toJSONSchema(schema, { io, unrepresentable: "any", cycles: "ref" })),
    ]),
  ),
];

const long = "x".repeat(100_000);
const SCALARS = [undefined, null, "", "x", long, 0, -1, 1.5, 1e21, true, {}, [], ["a", "b"], Array(5_000).fill("x")];
const within = (value: unknown, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, value]));

it("validation errors of every operation use plain words", () => {
  const odd = new Map<string, string>();
  const messages = new Set<string>();
  for (const [where, schema] of schemas) {
    const names = namesOf(schema);
    const inner = SCALARS.map((value) => within(value, names));
    for (const input of [
      ...SCALARS,
      ...[...SCALARS, ...inner, ...inner.map((value) => [value])].map((v) => within(v, names)),
    ]) {
      const { error } = schema.safeParse(input);
      for (const { path, message } of error ? (invalidInput(error).extra.errors ?? []) : []) {
        messages.add(message);
        if (OF_ZOD.test(message)) odd.set(message, `${where} ${path}`);
      }
    }
  }
  expect([...odd]).toEqual([]);
  expect([...messages]).toEqual(
    expect.arrayContaining(["is missing", "must be text", "is not a UUID", "is not a known field"]),
  );
});
