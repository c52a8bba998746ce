import { expect, it } from "vitest";
import { isDatabaseAway } from "@/db/away";

/** The driver's error: a message with a SQLSTATE. */
const databaseError = (code: string, message: string) => Object.assign(new Error(message), { code });

it.each([
  "failure on connection marked as essential: 127.0.0.1:5611",
  "SSL SYSCALL error: EOF detected",
  "server closed the connection unexpectedly",
])("a node lost during a statement counts as the database being down: %s", (message) => {
  const lost = databaseError("XX000", message);
  expect(isDatabaseAway(lost)).toBe(true);
  expect(isDatabaseAway(new Error("Failed query: INSERT …", { cause: lost }))).toBe(true);
});

it("an unreachable node counts as the database being down", () => {
  expect(isDatabaseAway(databaseError("08006", "connection to the remote node app@127.0.0.1:5611 failed"))).toBe(true);
});

it("other internal errors and similar words in row errors do not", () => {
  expect(isDatabaseAway(databaseError("XX000", "cache lookup failed for relation 5611"))).toBe(false);
  expect(isDatabaseAway(databaseError("22001", "failure on connection marked as essential"))).toBe(false);
});
