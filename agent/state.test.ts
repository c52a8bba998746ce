import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { StateFolder } from "./state";

describe("StateFolder", () => {
  let dir: string;
  beforeEach(async () => {
    dir = join(tempFolder(), "state");
  });

  it("keeps the ID from the first run", async () => {
    const first = await StateFolder.open(dir);
    expect((await StateFolder.open(dir)).state.agentId).toBe(first.state.agentId);
  });

  it("rejects a folder that cannot be created", async () => {
    await expect(StateFolder.open("/proc/x/y")).rejects.toThrow(/mkdir/);
  });

  it("stores token and watermarks readable by their owner only", async () => {
    const folder = await StateFolder.open(dir);
    await folder.save({ token: "tma_secret" });
    await folder.advance("/var/log/syslog", "w1");
    await folder.advance("journald", "w2");
    await folder.advance("journald", "");
    const again = await StateFolder.open(dir);
    expect(again.state).toMatchObject({ token: "tma_secret", watermarks: { "/var/log/syslog": "w1", journald: "w2" } });
    expect((await stat(join(dir, "state.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(dir, "state.json"), "utf8")).toContain("tma_secret");
  });
});
