import { expect, it } from "vitest";
import { isDatabaseAway } from "@/db/away";

/** The driver's error: a message with a SQLSTATE. */
const databaseError = (code: string, message: string) => Object.assign(new Error(message), { code });

it.each([
  "failure on connection marked as essential: 127.0.0.1:5611",
  "SSL SYSCALL error: EOF detected",
  "server closed the connection unexpectedly",
])("a node that dies within a statement makes the database away: %s", (message) => {
  const lost = databaseError("XX000", message);
  expect(isDatabaseAway(lost)).toBe(true);
  expect(isDatabaseAway(new Error("Failed query: INSERT …", { cause: lost }))).toBe(true);
});

it("a node that cannot be reached makes the database away", () => {
  expect(isDatabaseAway(databaseError("08006", "connection to the remote node app@127.0.0.1:5611 failed"))).toBe(true);
});

it("another internal error, or those words in an error of a row, does not", () => {
  expect(isDatabaseAway(databaseError("XX000", "cache lookup failed for relation 5611"))).toBe(false);
  expect(isDatabaseAway(databaseError("22001", "failure on connection marked as essential"))).toBe(false);
});
