import { join } from "node:path";
import next from "next";
import { closeDatabase } from "@/db/client";
import type { Embedded } from "@/db/embedded/embedded";
import { migrate } from "@/db/migrate";
import { startRecording, stopRecording } from "@/server/audit/record/record";
import { EnvError, env } from "@/server/env";
import { createFront } from "@/server/front/front";
import { routes } from "@/server/http/routes.generated";
import { stopRelay } from "@/server/live-events/current";
import { log } from "@/server/log";
import { ensureFirstAdmin } from "@/server/setup/first-admin";
import { shared } from "@/server/shared";
import { refuseUnsafeRole, UnsafeRoleError } from "./guard-role";
import { prepareEnvironment } from "./prepare";
import { shutdown } from "./shutdown";
import { startWorkers, stopWorkers } from "./workers";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

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
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, stop);
}

/** Faults that the operator can mend: told in a line, without a stack. */
function messageOf(error: unknown): string {
  const { code, message, stack, expected } = error as Error & { code?: string; expected?: boolean };
  if (code === "EADDRINUSE") return `Port ${env().PORT} is taken by another program; set PORT to a free one.`;
  return expected || error instanceof EnvError || error instanceof UnsafeRoleError ? message : (stack ?? String(error));
}

let embedded: Embedded | null = null;
// Before there is anything to drain, a signal only has to take the embedded PostgreSQL along.
const giveUp = async () => {
  await embedded?.stop().catch(() => {});
  process.exit(130);
};
for (const signal of SIGNALS) process.on(signal, () => void giveUp());
// The driver rejects promises of its own that nobody can await (a LISTEN that reconnects); known by their log alone.
process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
try {
  embedded = await prepareEnvironment();
  await prepareDatabase();
  await serve();
} catch (error) {
  process.stderr.write(`\n${messageOf(error)}\n\n`);
  await embedded?.stop().catch(() => {});
  process.exit(1);
}
