import { expect, test } from "vitest";
import { ago, describeAge } from "./relative";

const now = new Date("2026-11-20T12:00:00Z");

test.each([
  ["2026-11-20T11:59:31Z", "now", "less than a minute ago"],
  ["2026-11-20T11:59:00Z", "1 min", "1 minute ago"],
  ["2026-11-20T10:01:00Z", "1 h", "1 hour ago"],
  ["2026-11-18T11:00:00Z", "2 d", "2 days ago"],
  ["2026-08-20T12:00:00Z", "3 mo", "3 months ago"],
  ["2024-11-19T12:00:00Z", "2 y", "2 years ago"],
  ["2026-11-20T14:30:00Z", "in 2 h", "in 2 hours"],
])("%s was %s", (at, short, long) => expect([ago(at, now), describeAge(at, now)]).toEqual([short, long]));
