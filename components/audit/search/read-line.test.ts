import { expect, test } from "vitest";
import { choicesOf, splitTerms } from "@/server/audit/query/values";
import { readLine as read } from "./read-line";

const clock = { zone: "UTC", now: new Date("2026-11-22T12:30:00Z") };

/** The reading of a line with the first choice of each term. */
async function readLine(view: Parameters<typeof read>[0], typed: string) {
  const change = await read(view, typed, { clock, findNames: () => Promise.resolve([]) });
  const terms = splitTerms(change.q ?? "").map((term) => (term.startsWith('"') ? term : choicesOf(term)[0]));
  return { ...change, q: terms.join(" ") || null };
}

test("a date sets the start or end of the range", async () => {
  expect(await readLine({}, "before:2026-11-18 policy")).toMatchObject({
    q: "policy",
    range: null,
    from: null,
    to: new Date("2026-11-17T23:59:59.999Z"),
  });
  expect(await readLine({ range: "7d" }, 'after:"18 Nov" before:2026-11-20')).toMatchObject({
    range: null,
    from: new Date("2026-11-18T00:00:00Z"),
    to: new Date("2026-11-19T23:59:59.999Z"),
  });
  expect(await readLine({}, "on:yesterday actor:jane")).toMatchObject({
    user: "jane",
    from: new Date("2026-11-21T00:00:00Z"),
    to: new Date("2026-11-21T23:59:59.999Z"),
  });
});

test("an invalid time stays text, and the range is kept if none is given", async () => {
  const change = await readLine({ range: "7d" }, "on:fire disk");
  expect(change.q).toBe("on:fire disk");
  expect(change).not.toHaveProperty("range");
});

test("a question sets the time and the words", async () => {
  const asked = "who disabled the antivirus policy on CDG-WS-008 last Tuesday, from which address";
  expect(await readLine({}, asked)).toMatchObject({
    q: "disable antivirus policy CDG-WS-008",
    from: new Date("2026-11-17T00:00:00Z"),
    to: new Date("2026-11-17T23:59:59.999Z"),
  });
});

test("a question sets the actor and the result", async () => {
  const asked = "everything Jane did from 9 to 10 that failed or was denied, as CSV";
  expect(await readLine({}, asked)).toEqual({
    user: "Jane",
    result: "failure,denied",
    q: null,
    exclude: null,
    excludeActions: null,
    range: null,
    from: new Date("2026-11-22T09:00:00Z"),
    to: new Date("2026-11-22T09:59:59.999Z"),
    typed: asked,
  });
  expect(await readLine({}, "what did Jane Doe do last week?")).toMatchObject({
    user: "Jane Doe",
    q: null,
    from: new Date("2026-11-09T00:00:00Z"),
    to: new Date("2026-11-15T23:59:59.999Z"),
  });
});

test.each([
  ["who signed in from an address never seen before", "address", '"signed in"|"logged in"|"logged on"'],
  ["who signed in from a new address yesterday", "address", '"signed in"|"logged in"|"logged on"'],
  ["show downloads from unknown networks", "network", "download"],
  ["who came from an IP address that was never used before?", "address", null],
])("a question asks for what was seen for the first time: %s", async (asked, seen, q) => {
  expect(await readLine({}, asked)).toMatchObject({ new: seen, q });
});

test.each([
  ["antivirus last tuesday", { q: "antivirus", from: new Date("2026-11-17T00:00:00Z") }],
  ["jane today 9-10", { q: "jane", from: new Date("2026-11-22T09:00:00Z"), to: new Date("2026-11-22T09:59:59.999Z") }],
  [
    "9-10 jane yesterday",
    { q: "jane", from: new Date("2026-11-21T09:00:00Z"), to: new Date("2026-11-21T09:59:59.999Z") },
  ],
  ["between 9 and 10 yesterday", { q: null, from: new Date("2026-11-21T09:00:00Z") }],
  ["failed jane yesterday", { result: "failure", q: "jane", from: new Date("2026-11-21T00:00:00Z") }],
  ["what happened in an hour", { q: null, from: new Date("2026-11-22T11:30:00Z"), to: null }],
  ["printer by Dele Adeyemi, denied", { user: "Dele Adeyemi", result: "denied", q: "printer" }],
  ["user.login 203.0.113.94", { action: "user.login", ip: "203.0.113.94", q: null }],
  ["deletions by api keys", { actorType: "api_key", q: "delete" }],
  ['"last tuesday" 4625', { q: '4625 "last tuesday"' }],
  ["4625 may", { q: "4625 may" }],
])("reads every line: %s", async (typed, expected) => {
  expect(await readLine({}, typed)).toMatchObject(expected);
});

test('"since" and "before" in a question leave the other end open', async () => {
  expect(await readLine({}, "who changed policies since monday")).toMatchObject({
    q: "update policy",
    from: new Date("2026-11-16T00:00:00Z"),
    to: null,
  });
  expect(await readLine({ range: "7d" }, "who changed policies before 18 nov")).toMatchObject({
    q: "update policy",
    range: null,
    from: null,
    to: new Date("2026-11-17T23:59:59.999Z"),
  });
});
