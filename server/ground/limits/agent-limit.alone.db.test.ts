import { beforeAll, expect, it } from "vitest";
import { call, createDevice, type TestDevice } from "@/testing/factories";
import { withSettings } from "@/testing/settings";

beforeAll(() => {
  withSettings({ AGENT_REQUESTS_PER_MINUTE: 3 });
});

it("counts an agent's requests per address, so a stolen token cannot lock out the agent", async () => {
  const [device, other] = [await createDevice(), await createDevice()];
  const beat = async (token: TestDevice, ip: string) =>
    (await call({ token, ip }, `POST /agents/${token.agentId}/heartbeat`, {})).status;
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push(await beat(device, "203.0.113.66"));
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(await beat(device, "198.51.100.10")).toBe(200);
  expect(await beat(other, "203.0.113.66")).toBe(200);
});
