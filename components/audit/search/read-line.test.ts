import { expect, test } from "vitest";
import { readLine } from "./read-line";

const clock = { zone: "UTC", now: new Date("2026-11-22T12:30:00Z") };

test("a date sets the start or end of the range", async () => {
  expect(await readLine({}, "before:2026-11-18 policy", clock)).toMatchObject({
    q: "policy",
    range: null,
    from: null,
    to: new Date("2026-11-17T23:59:59.999Z"),
  });
  expect(await readLine({ range: "7d" }, 'after:"18 Nov" before:2026-11-20', clock)).toMatchObject({
    range: null,
    from: new Date("2026-11-18T00:00:00Z"),
    to: new Date("2026-11-19T23:59:59.999Z"),
  });
  expect(await readLine({}, "on:yesterday actor:jane", clock)).toMatchObject({
    user: "jane",
    from: new Date("2026-11-21T00:00:00Z"),
    to: new Date("2026-11-21T23:59:59.999Z"),
  });
});

test("an invalid time stays text, and the range is kept if none is given", async () => {
  const change = await readLine({ range: "7d" }, "on:fire disk", clock);
  expect(change.q).toBe("on:fire disk");
  expect(change).not.toHaveProperty("range");
});

test("a question sets the time and the words", async () => {
  const asked = "who disabled the antivirus policy on CDG-WS-008 last Tuesday, from which address";
  expect(await readLine({}, asked, clock)).toMatchObject({
    q: "disabled antivirus policy CDG-WS-008",
    from: new Date("2026-11-17T00:00:00Z"),
    to: new Date("2026-11-17T23:59:59.999Z"),
  });
});

test("a question sets the actor and the result", async () => {
  const asked = "everything Jane did from 9 to 10 that failed or was denied, as CSV";
  expect(await readLine({}, asked, clock)).toEqual({
    user: "Jane",
    result: "failure,denied",
    q: null,
    exclude: null,
    excludeActions: null,
    range: null,
    from: new Date("2026-11-22T09:00:00Z"),
    to: new Date("2026-11-22T09:59:59.999Z"),
  });
  expect(await readLine({}, "what did Jane Doe do last week?", clock)).toMatchObject({
    user: "Jane Doe",
    q: null,
    from: new Date("2026-11-09T00:00:00Z"),
    to: new Date("2026-11-15T23:59:59.999Z"),
  });
});

test('"since" and "before" in a question leave the other end open', async () => {
  expect(await readLine({}, "who changed policies since monday", clock)).toMatchObject({
    q: "changed policies",
    from: new Date("2026-11-16T00:00:00Z"),
    to: null,
  });
  expect(await readLine({ range: "7d" }, "who changed policies before 18 nov", clock)).toMatchObject({
    q: "changed policies",
    range: null,
    from: null,
    to: new Date("2026-11-17T23:59:59.999Z"),
  });
});
