import { expect, test } from "vitest";
import type { NotificationKind } from "@/server/notify/vocabulary";
import { DEFINITIONS } from ".";
import type { Detail } from "./definition";

const said = ({ kind, detail }: { kind: NotificationKind; detail: Detail }): string =>
  DEFINITIONS[kind].raised("Contoso", detail);

test("a disabled webhook's message covers both 410 and days of failures", () => {
  expect(said({ kind: "webhook.disabled", detail: { names: ["Desk"] } })).toBe(
    "The webhook endpoint Desk of Contoso was disabled by this server: it answered 410 Gone, or nothing could be delivered to it for 5 days.",
  );
  expect(said({ kind: "webhook.disabled", detail: { names: ["Desk", "Pager"] } })).toBe(
    "The webhook endpoints Desk, Pager of Contoso were disabled by this server: each answered 410 Gone, or nothing could be delivered to it for 5 days.",
  );
});

test("absent witnesses are each dated separately", () => {
  const seen = [
    { name: "far", since: "2026-11-01T10:00:00.000Z" },
    { name: "near", since: "2026-11-03T10:00:00.000Z" },
  ];
  expect(said({ kind: "witness.away", detail: { names: ["far"], seen } })).toBe(
    "None of the newest checkpoints has carried a cosignature of the witness far since 1 Nov 2026, 10:00:00 UTC, nor of the witness near since 3 Nov 2026, 10:00:00 UTC.",
  );
});
