import { describe, expect, it } from "vitest";
import { parseOptions, UsageError } from "./options";
import { type Agent, enroll, nextBeatMs } from "./run";

it("an agent that is not enrolled and has no key was called wrongly: no server is asked, and none is blamed", async () => {
  const options = parseOptions(["--url", "http://127.0.0.1:9"]);
  await expect(enroll({ options } as Agent)).rejects.toThrow(UsageError);
});

describe("the next heartbeat", () => {
  it("is when the server says", () => {
    expect(nextBeatMs({ ok: true, intervalSeconds: 90 })).toBe(90_000);
  });

  it.each([undefined, null, "", [], {}, { intervalSeconds: "90" }, { intervalSeconds: null }])(
    "is in a minute where the server says nothing of it: %j",
    (body) => expect(nextBeatMs(body)).toBe(60_000),
  );

  it.each([0, -1, 0.001, 1e12])("neither follows at once nor stays away when %s seconds are asked for", (seconds) =>
    expect(nextBeatMs({ intervalSeconds: seconds })).toBe(60_000),
  );
});
