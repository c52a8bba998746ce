import { describe, expect, it } from "vitest";
import { exportName } from "./export-name";

const now = new Date("2026-11-20T23:30:00Z");

describe("export file name", () => {
  it("contains the organization and the range in the reader's time zone", () => {
    const from = new Date("2026-11-12T23:00:00Z");
    const named = { organization: "Northwind & Söhne", from, now, ending: "csv" };
    expect(exportName({ ...named, zone: "Europe/Berlin" })).toBe("audit-northwind-sohne-2026-11-13-to-2026-11-21.csv");
    expect(exportName({ ...named, zone: "UTC" })).toBe("audit-northwind-sohne-2026-11-12-to-2026-11-20.csv");
    expect(exportName({ organization: "東京", now, zone: "UTC", ending: "ndjson.gz" })).toBe(
      "audit-organization-until-2026-11-20.ndjson.gz",
    );
  });

  it("includes times unless the range ends at midnight", () => {
    const [from, to] = [new Date("2026-11-13T09:00:00Z"), new Date("2026-11-13T10:00:00Z")];
    expect(exportName({ organization: "Contoso", from, to, now, zone: "UTC", ending: "json" })).toBe(
      "audit-contoso-2026-11-13-0900-to-2026-11-13-1000.json",
    );
    const last = { organization: "Contoso", now, zone: "Europe/Berlin", ending: "csv" };
    const hour = { from: new Date("2026-11-13T08:00:00Z"), to: new Date("2026-11-13T08:59:59.999Z") };
    expect(exportName({ ...last, ...hour })).toBe("audit-contoso-2026-11-13-0900-to-2026-11-13-1000.csv");
    const day = { from: new Date("2026-11-12T23:00:00Z"), to: new Date("2026-11-13T22:59:59.999Z") };
    expect(exportName({ ...last, ...day })).toBe("audit-contoso-2026-11-13-to-2026-11-13.csv");
  });
});
