import { expect, test } from "vitest";
import { actorFilter, actorKey, entriesHref } from "./report-views";

const all = { range: { range: null, from: null, to: null }, tz: null, orgId: undefined };

test("a number leads to its entries: same range, same zone, same organization", () => {
  expect(entriesHref({}, all)).toBe("/");
  const today = { range: { ...all.range, range: "today" as const }, tz: "Asia/Tokyo", orgId: "org" };
  expect(entriesHref({ category: ["policy"] }, today)).toBe("/?category=policy&range=today&tz=Asia%2FTokyo&orgId=org");
  expect(entriesHref({}, { ...all, tz: "UTC" })).toBe("/?tz=utc");
});

test("several values are a list, and one with a comma is one value", () => {
  expect(entriesHref({ actions: ["user.login", "user.logout"] }, all)).toBe("/?actions=user.login%2Cuser.logout");
  expect(entriesHref(actorFilter({ userId: "bot, 7", actorType: "agent" }) ?? {}, all)).toBe(
    "/?rawActorId=%22bot%2C+7%22",
  );
});

test("the system is filtered by its type; any other actor without an id has no filter", () => {
  const userId = "00000000-0000-0000-0000-000000000000";
  expect(actorFilter({ userId, actorType: "system" })).toEqual({ actorType: ["system"] });
  expect(actorFilter({ userId, actorType: "user" })).toBeNull();
  expect(actorKey({ userId, actorType: "user" })).not.toBe(actorKey({ userId, actorType: "system" }));
});
