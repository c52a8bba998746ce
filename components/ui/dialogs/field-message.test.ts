import { expect, it } from "vitest";
import { z } from "zod";
import { createInput } from "@/server/identity/users/schema";
import { fieldMessage, sentence } from "./use-form";

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: fieldMessage }).error?.issues.map((issue) => sentence(issue.message));

it("words field errors in plain English", () => {
  expect(messageOf(z.string().min(1), "")).toEqual(["Required"]);
  expect(messageOf(z.string(), undefined)).toEqual(["Required"]);
  expect(messageOf(z.string().max(1000), "x".repeat(1001))).toEqual(["At most 1,000 characters"]);
  expect(messageOf(z.int().max(5), 6)).toEqual(["At most 5"]);
  expect(messageOf(z.array(z.string()).min(1), [])).toEqual(["Choose at least one"]);
});

it("keeps a schema's own messages", () => {
  const user = { name: " ", email: "jane", password: "short", role: "org_viewer" };
  expect(messageOf(createInput, user)).toEqual([
    "Not a valid e-mail address",
    "This field must have at least 12 characters",
    "This field is blank",
  ]);
});
