import { expect, test } from "vitest";
import { presentParams, presentSearch } from "./old-address";

const present = (query: string) => Object.fromEntries(presentParams(new URLSearchParams(query)));

test("maps the parameters of old links to current API names", () => {
  expect(present("actor=jane&type=agent&org=1&action=user&range=7d")).toEqual({
    user: "jane",
    actorType: "agent",
    orgId: "1",
    action: "user",
    range: "7d",
  });
});

test('converts old "without" parameters to exclusions', () => {
  expect(present("without=user.login,type:agent,ip:2001:db8::1,odd:thing,org:1,result:success")).toEqual({
    excludeActions: "user.login,odd:thing",
    exclude: "actorType:agent,ip:2001:db8::1,orgId:1,result:success",
  });
});

test("converts an old actor ID that is not a UUID to rawActorId", () => {
  const id = "0190a000-0000-7000-8000-000000000001";
  expect(present("actorId=bot-7")).toEqual({ rawActorId: "bot-7" });
  expect(present("actorId=bot-7,bot-8")).toEqual({ rawActorId: "bot-7,bot-8" });
  for (const actorId of [id, `${id},${id.replace("1", "2")}`])
    expect(present(`actorId=${actorId}`)).toEqual({ actorId });
});

test("leaves current parameters unchanged", () => {
  const query = "user=jane&exclude=actorType%3Aagent&excludeActions=a%2Cb&orgId=1&from=2026-11-01T00%3A00%3A00.000Z";
  expect(presentParams(new URLSearchParams(query)).toString()).toBe(query);
});

test("converts only the organization on other pages", () => {
  const search = (pathname: string) => presentSearch(pathname, new URLSearchParams("org=1&type=x")).toString();
  expect(search("/devices")).toBe("orgId=1&type=x");
  expect(search("/")).toBe("orgId=1&actorType=x");
});
