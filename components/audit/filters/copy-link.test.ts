import { expect, test } from "vitest";
import { loadView } from "@/components/audit/state/view";
import { frozenLink } from "./copy-link";

const now = new Date("2026-11-20T14:02:31Z");

async function frozen(address: string): Promise<string> {
  const view = await loadView(new URLSearchParams(address));
  return new URL(frozenLink(`https://log.example/?${address}`, view, { zone: "Europe/Berlin", now })).search;
}

test("a live relative range becomes absolute, an absolute one stays, and all time stays open", async () => {
  expect(await frozen("range=1h&live=1")).toBe(
    "?tz=Europe%2FBerlin&from=2026-11-20T13%3A02%3A00.000Z&to=2026-11-20T14%3A02%3A31.000Z",
  );
  expect(await frozen("from=2026-11-01T00:00:00Z")).toBe("?from=2026-11-01T00%3A00%3A00Z&tz=Europe%2FBerlin");
  expect(await frozen("tz=utc")).toBe("?tz=Europe%2FBerlin");
});
