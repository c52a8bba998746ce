import { join } from "node:path";
import next from "next";
import { closeDatabase } from "@/db/client";
import type { Embedded } from "@/db/embedded";
import { migrate } from "@/db/migrate";
import { startRecording, stopRecording } from "../audit/record";
import { EnvError, env } from "../env";
import { routes } from "../http/routes.generated";
import { stopRelay } from "../live-events/current";
import { log } from "../log";
import { ensureFirstAdmin } from "../setup/first-admin";
import { createFront } from "./front";
import { refuseUnsafeRole, UnsafeRoleError } from "./guard-role";
import { prepareEnvironment } from "./prepare";
import { shared } from "./shared";
import { shutdown } from "./shutdown";
import { startWorkers, stopWorkers } from "./workers";

/** Brings the database to this version; without the owner's address it only checks that somebody else has. */
async function prepareDatabase(): Promise<void> {
  const { TRAILMARK_OWNER_DATABASE_URL: ownerUrl, DATABASE_URL: appUrl, AUDIT_ADMIN_DATABASE_URL: adminUrl } = env();
  await migrate({ ownerUrl, appUrl, adminUrl, log: (line: string) => log.info(line) });
  await refuseUnsafeRole();
}

async function serve(): Promise<void> {
  const { HOST, PORT, NEXTAUTH_URL, TRAILMARK_DEV, TRAILMARK_DATA_DIR } = env();
  let handleNext: ReturnType<ReturnType<typeof next>["getRequestHandler"]> | undefined;
  const server = createFront({
    routes,
    origin: NEXTAUTH_URL,
    dev: TRAILMARK_DEV,
    next: () => {
      if (!handleNext) throw new Error("Next is not ready");
      return handleNext;
    },
  });
  shared("routes", () => routes);
  const app = next({ dev: TRAILMARK_DEV, dir: process.cwd(), httpServer: server, hostname: HOST, port: PORT });
  await Promise.all([app.prepare(), startRecording({ dir: join(TRAILMARK_DATA_DIR, "spool") })]);
  handleNext = app.getRequestHandler();
  const setup = await ensureFirstAdmin();
  await startWorkers();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(PORT, HOST, resolve));
  process.stdout.write(`\n  Trailmark is at ${NEXTAUTH_URL}\n${setup ? `  ${setup}\n` : ""}\n`);
  const stop = shutdown({
    server,
    closeNext: () => app.close(),
    stopWork: async () => void (await Promise.all([stopWorkers(), stopRelay(), stopRecording()])),
    closeDatabase,
    embedded,
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
}

let embedded: Embedded | null = null;
try {
  embedded = await prepareEnvironment();
  env();
  await prepareDatabase();
  await serve();
} catch (error) {
  const expected =
    error instanceof EnvError || error instanceof UnsafeRoleError || (error as { expected?: boolean }).expected;
  process.stderr.write(`\n${expected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n\n`);
  await embedded?.stop().catch(() => {});
  process.exit(1);
}
