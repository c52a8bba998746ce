import { expect, it } from "vitest";
import type { BundleRange } from "@/server/evidence/bundle/format";
import { fileNameOf } from "./export";

const CREATED = "2026-11-22T06:10:00.000Z";
const time = (from: string | null, to: string | null): BundleRange => ({ kind: "time", from, to });

it.each<[BundleRange, string]>([
  [{ kind: "whole" }, "evidence-contoso-sohne-whole-log-2026-11-22.ndjson"],
  [{ kind: "sequence", first: 4, last: 6 }, "evidence-contoso-sohne-entries-4-to-6.ndjson"],
  [time("2026-10-01T00:00:00.000Z", "2026-10-31T23:59:59.999Z"), "evidence-contoso-sohne-2026-10.ndjson"],
  [time("2026-10-03T00:00:00.000Z", "2026-10-03T23:59:59.999Z"), "evidence-contoso-sohne-2026-10-03.ndjson"],
  [
    time("2026-10-03T09:00:00.000Z", "2026-10-04T10:30:00.000Z"),
    "evidence-contoso-sohne-2026-10-03T0900Z-to-2026-10-04T1030Z.ndjson",
  ],
  [time("2026-10-03T00:00:00.000Z", null), "evidence-contoso-sohne-from-2026-10-03-2026-11-22.ndjson"],
  [time(null, "2026-10-03T23:59:59.999Z"), "evidence-contoso-sohne-to-2026-10-03.ndjson"],
])("names a bundle of %j after its organization and range", (range, name) => {
  expect(fileNameOf("Contoso & Söhne", range, CREATED)).toBe(name);
});

it("sanitizes any organization name", () => {
  expect(fileNameOf('../"\r\n', { kind: "whole" }, CREATED)).toBe("evidence-organization-whole-log-2026-11-22.ndjson");
});
