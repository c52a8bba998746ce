import { once } from "node:events";
import { createServer, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { listen } from "@/testing/port-of";
import { lazyRequest } from "./lazy-request";

/**
 * Asks a server whose handler first looks at the signal when the answer is closed, or before.
 * @returns whether the signal was aborted in the end
 */
async function isAborted({ leaves, looks }: { leaves: boolean; looks: "before" | "late" }): Promise<boolean> {
  let told = (_: boolean): void => {};
  const aborted = new Promise<boolean>((resolve) => {
    told = resolve;
  });
  const server = createServer(async (incoming, outgoing) => {
    const asked = lazyRequest(incoming, outgoing, "http://127.0.0.1");
    if (looks === "before") expect(asked.signal.aborted).toBe(false);
    const closed = once(outgoing, "close");
    if (leaves) client.destroy();
    else outgoing.end("answer");
    await closed;
    await sleep(20);
    told(asked.signal.aborted);
  });
  const client = request({ host: "127.0.0.1", port: await listen(server) });
  client
    .on("error", () => {})
    .on("response", (response) => response.resume())
    .end();
  try {
    return await aborted;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each(["before", "late"] as const)(
  "detects that a client left, whenever the handler checks (%s)",
  async (looks) => {
    expect(await isAborted({ leaves: true, looks })).toBe(true);
    expect(await isAborted({ leaves: false, looks })).toBe(false);
  },
);
