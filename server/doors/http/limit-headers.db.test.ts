import { expect, it } from "vitest";
import { type Answer, bearer, call, createDevice, createUser, PASSWORD } from "@/testing/factories";

const rateOf = ({ headers }: Answer) =>
  ["limit", "remaining", "reset"].map((name) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN));

it("every response to a user has rate limit headers for waiting requests", async () => {
  const caller = await bearer(await createUser());
  for (const answer of [
    await call(caller, "GET /audit-logs"),
    await call(caller, "GET /audit-logs?limit=0"),
    await call(caller, `GET /devices/${crypto.randomUUID()}`),
  ])
    if (answer.status !== 400) expect(rateOf(answer)).toEqual([120, 120, 5]);
});

it("agents get the number of requests left in the minute", async () => {
  const device = await createDevice();
  const beat = () => call({ token: device, ip: "203.0.113.77" }, `POST /agents/${device.agentId}/heartbeat`, {});
  const [[limit = 0, first = 0], [, second]] = [rateOf(await beat()), rateOf(await beat())];
  expect([first, second]).toEqual([limit - 1, limit - 2]);
});

it("a failed sign-in reports the remaining attempts of the tightest limit", async () => {
  const { email } = await createUser();
  const tried = (password: string) => call({ ip: "203.0.113.78" }, "POST /auth/token", { email, password });
  expect(rateOf(await tried(PASSWORD))).toEqual([300, 299, 60]);
  expect(rateOf(await tried("wrong")).slice(0, 2)).toEqual([10, 9]);
});

it("public downloads have rate limit headers", async () => {
  expect(rateOf(await call({ ip: "203.0.113.79" }, "GET /openapi.json")).slice(0, 2)).toEqual([600, 599]);
});
