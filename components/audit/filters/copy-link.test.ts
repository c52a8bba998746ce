import { expect, test } from "vitest";
import { loadView } from "@/components/audit/state/view";
import { frozenLink } from "./copy-link";

const now = new Date("2026-11-20T14:02:31Z");

async function frozen(address: string): Promise<string> {
  const view = await loadView(new URLSearchParams(address));
  return new URL(frozenLink(`https://log.example/?${address}`, view, { zone: "Europe/Berlin", now })).search;
}

test("a relative range becomes absolute, in the sender's zone", async () => {
  const params = new URLSearchParams(await frozen("range=1h&action=user.login&live=1"));
  expect(Object.fromEntries(params)).toEqual({
    action: "user.login",
    from: "2026-11-20T13:02:00.000Z",
    to: "2026-11-20T14:02:31.000Z",
    tz: "Europe/Berlin",
  });
});

test("an absolute range stays, and all time stays open", async () => {
  const params = new URLSearchParams(await frozen("from=2026-11-01T00:00:00.000Z"));
  expect(Object.fromEntries(params)).toEqual({ from: "2026-11-01T00:00:00.000Z", tz: "Europe/Berlin" });
  expect(await frozen("tz=utc")).toBe("?tz=Europe%2FBerlin");
});
