import { expect, it } from "vitest";
import { functionsOfVersion } from "@/db/version";

/** Name, parameters and result of a function, as its file has them. */
const headOf = (text: string) => /CREATE OR REPLACE[\s\S]*?(?=\nLANGUAGE)/.exec(text)?.[0];
const rightsOf = (text: string) => text.match(/^GRANT .*$/gm) ?? [];

const plain = new Map(functionsOfVersion().map((one) => [one.name, one.text]));
const changed = functionsOfVersion(true).filter(({ name, text }) => plain.has(name) && plain.get(name) !== text);

it("changes some functions on a cluster and adds others", () => {
  expect(changed.map(({ name }) => name)).toContain("audit_seal");
  expect(functionsOfVersion(true).length).toBeGreaterThan(plain.size);
});

it.each(changed)("$name has the signature and the callers of its namesake", ({ name, text }) => {
  expect(headOf(text)).toBeDefined();
  expect(headOf(text)).toBe(headOf(plain.get(name) ?? ""));
  expect(rightsOf(text)).toEqual(rightsOf(plain.get(name) ?? ""));
});
