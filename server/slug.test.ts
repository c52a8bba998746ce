import { expect, it } from "vitest";
import { toSlug } from "./slug";

it.each([
  ["Contoso Ltd.", "contoso-ltd"],
  ["  Café Zürich & Söhne ", "cafe-zurich-sohne"],
  ["日本", "organization"],
  ["x".repeat(200), "x".repeat(60)],
])("%j becomes %j", (name, slug) => {
  expect(toSlug(name)).toBe(slug);
});
