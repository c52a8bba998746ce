import { describe, expect, it } from "vitest";
import { loadView, toListInput } from "@/components/audit/state/view";
import { exportInput } from "@/server/audit/entries/export-schema";
import { exportBody } from "./use-export";

const now = new Date("2026-11-20T14:00:00Z");
const ORG = "0190f4c2-0000-7000-8000-000000000001";

describe("an export's request", () => {
  it("contains every filter of the viewer, under its API name", async () => {
    const address =
      "?q=printer&user=jane&action=device&resource=WS&result=denied&category=device&actorType=user&excludeActions=a,b" +
      `&from=2026-11-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z&orgId=${ORG}&cursor=abc`;
    const view = await loadView(new URLSearchParams(address));
    const body = exportBody("csv", toListInput(view, "UTC", now));
    expect(exportInput.parse(JSON.parse(JSON.stringify(body)))).toEqual({
      format: "csv",
      orgId: [ORG],
      filters: {
        q: "printer",
        user: ["jane"],
        action: ["device"],
        resource: ["WS"],
        result: ["denied"],
        category: ["device"],
        actorType: ["user"],
        excludeActions: ["a", "b"],
      },
      dateRange: { from: new Date("2026-11-01"), to: new Date("2026-11-02") },
    });
  });
});
