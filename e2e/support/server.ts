import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endServer, freePort, type Server, startServer } from "@/testing/server";

type Fresh = Server & { logFile: string; discard: () => Promise<void> };

/** The built server on an empty data folder of its own; its output goes to dist/results/NAME.log. */
export async function startFresh(name: string, port: number, env?: Record<string, string>): Promise<Fresh> {
  mkdirSync(join("dist", "results"), { recursive: true });
  const logFile = join("dist", "results", `${name}.log`);
  const dataDir = mkdtempSync(join(tmpdir(), "trailmark-e2e-"));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const server = await startServer({ dataDir, port, env, logFile }).catch((error) => {
    remove();
    throw error;
  });
  return { ...server, logFile, discard: () => endServer(server).then(remove) };
}

/** Webhooks of tests are received on this machine. */
const ON_LOOPBACK = { TRAILMARK_WEBHOOKS_PRIVATE: "true", TRAILMARK_WEBHOOKS_HTTP: "true" };

/** Playwright's global set-up: the server that all tests share. */
export default async function serve(): Promise<() => Promise<void>> {
  const server = await startFresh(
    "e2e-server",
    Number(process.env.TRAILMARK_E2E_PORT ?? (await freePort())),
    ON_LOOPBACK,
  );
  process.env.TRAILMARK_E2E_DATA = server.dataDir;
  return server.discard;
}
