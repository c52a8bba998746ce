import { expect, it } from "vitest";
import { POST as heartbeat } from "@/app/api/v1/agents/[id]/heartbeat/route";
import { GET as list } from "@/app/api/v1/audit-logs/route";
import { POST as token } from "@/app/api/v1/auth/token/route";
import { GET as openDevice } from "@/app/api/v1/devices/[id]/route";
import { GET as document } from "@/app/api/v1/openapi.json/route";
import { type Answer, bearer, call, createDevice, createUser, PASSWORD } from "@/testing/factories";

const rateOf = ({ headers }: Answer) =>
  ["limit", "remaining", "reset"].map((name) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN));

it("every response to a user has rate limit headers for waiting requests", async () => {
  const caller = await bearer(await createUser());
  for (const answer of [
    await call(list, { token: caller }),
    await call(list, { token: caller, path: "?limit=0" }),
    await call(openDevice, { token: caller, params: { id: crypto.randomUUID() } }),
  ])
    if (answer.status !== 400) expect(rateOf(answer)).toEqual([120, 120, 5]);
});

it("agents get the number of requests left in the minute", async () => {
  const device = await createDevice();
  const beat = () => call(heartbeat, { token: device, params: { id: device.agentId }, body: {}, ip: "203.0.113.77" });
  const [[limit = 0, first = 0], [, second]] = [rateOf(await beat()), rateOf(await beat())];
  expect([first, second]).toEqual([limit - 1, limit - 2]);
});

it("a failed sign-in reports the remaining attempts of the tightest limit", async () => {
  const { email } = await createUser();
  const tried = (password: string) => call(token, { body: { email, password }, ip: "203.0.113.78" });
  expect(rateOf(await tried(PASSWORD))).toEqual([300, 299, 60]);
  expect(rateOf(await tried("wrong")).slice(0, 2)).toEqual([10, 9]);
});

it("public downloads have rate limit headers", async () => {
  expect(rateOf(await call(document, { ip: "203.0.113.79" })).slice(0, 2)).toEqual([600, 599]);
});
