import type { RequestListener } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestHandler } from "next/dist/server/next";
import { appSql, closeDatabase } from "@/db/client";
import { otherGuards } from "@/db/guards";
import { tightLimits } from "@/db/limits";
import { migrate } from "@/db/migrate";
import { reach } from "@/db/reach";
import { closeFolds } from "@/server/audit/record/fold";
import { startRecording, stopRecording } from "@/server/audit/record/record";
import { relay, stopRelay } from "@/server/devices/live/relay";
import { createListener } from "@/server/doors/front/front";
import { pages } from "@/server/doors/front/pages";
import { publishRoutes } from "@/server/doors/http/openapi";
import { routes } from "@/server/doors/http/routes.generated";
import { checkSigningKey } from "@/server/evidence/chain/signing-key";
import { raiseDifferences, raiseHeadAlarm } from "@/server/evidence/integrity/heads";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import { pendingWorkDone } from "@/server/ground/background/pending-work";
import { closeStreams, notifyOthersBy } from "@/server/ground/background/streams";
import { startTracing, stopTracing } from "@/server/ground/background/tracing";
import { databaseAddresses, env, ownPoolSize } from "@/server/ground/env";
import { log } from "@/server/ground/log";
import { checkTokenKey } from "@/server/identity/auth/jwt";
import { ensureFirstAdmin } from "@/server/setup/setup";
import { refuseUnsafeRole } from "./guard-role";
import { startWorkers, stopWorkers } from "./workers";

const ITSELF = "name PostgreSQL itself there, because";

/**
 * Tries every address of the database that this process will use, once.
 * @throws MigrationError with a sentence that names the variable at fault
 */
export async function checkAddresses(): Promise<void> {
  const { DATABASE_URL, DATABASE_PREPARE, DATABASE_DIRECT_URL, AUDIT_ADMIN_DATABASE_URL } = env();
  const addresses = [
    {
      url: DATABASE_URL,
      role: "the application role (DATABASE_URL)",
      ...(DATABASE_PREPARE && {
        unlessPooled: "Set DATABASE_PREPARE=false, and DATABASE_DIRECT_URL to PostgreSQL itself.",
      }),
    },
    {
      url: DATABASE_DIRECT_URL,
      role: "the application role (DATABASE_DIRECT_URL)",
      unlessPooled: `It must not: ${ITSELF} notifications reach a session alone.`,
    },
    {
      url: AUDIT_ADMIN_DATABASE_URL,
      role: "the pruning role (AUDIT_ADMIN_DATABASE_URL)",
      unlessPooled: `It must not: ${ITSELF} a retention run holds a lock of its session.`,
    },
  ];
  for (const { url, ...address } of addresses) {
    if (!url) continue;
    const sql = await reach({ url, ...address });
    await sql.end({ timeout: 1 });
  }
}

/**
 * What the work under way may take to end by itself, and then what its connections' end broke off, in ms; the rest of the
 * shutdown's deadline is for what follows.
 */
const STOP_TIMES = { work: 2_000, brokenOff: 500 };

const within = (work: Promise<unknown>, ms: number) => Promise.race([work, sleep(ms, undefined, { ref: false })]);

const noteUnclean = (error: unknown): void => log.warn({ err: error }, "the relay did not end cleanly");

/**
 * Stops the background work, waits for what goes on behind answers, closes the database and writes out what is pending, in
 * this order: work that ends records what it did, and work that does not end by itself ends with its connections, before
 * recording stops. A relay that cannot close its connection keeps none of what follows from being done.
 * @param times how long each part may take, in ms
 */
export async function stopService(times = STOP_TIMES): Promise<void> {
  closeFolds();
  const ended = Promise.allSettled([stopWorkers(), pendingWorkDone(), stopRelay().catch(noteUnclean)]);
  await within(ended, times.work);
  await closeDatabase();
  // What had no end has one now, and records it.
  await within(ended, times.brokenOff);
  closeFolds();
  await stopRecording();
  await stopTracing();
}

/** All behind the http server but Next: development replaces it as a whole when a source file changes. */
export type Service = {
  listener: RequestListener;
  /** The message to the operator of a database without an administrator; null once there is one. */
  notice: string | null;
  /** Ends the answers that stay open; their clients reconnect. */
  closeStreams: () => void;
  /** @see stopService */
  stop: () => Promise<void>;
};

/** Brings the database to this version; without the owner's address it only checks that it has been. */
async function prepareDatabase(): Promise<void> {
  await migrate({ ...databaseAddresses(), log: (line) => log.info(line), warn: (line) => log.warn(line) });
  const guards = await otherGuards(appSql(), databaseAddresses());
  if (guards.length > 0) log.error({ guards }, "the database's guards are not those of this version");
  await checkAddresses();
  await refuseUnsafeRole();
  for (const sentence of await tightLimits(appSql(), ownPoolSize())) log.warn(sentence);
}

/** @throws EnvError, UnsafeRoleError or what the database says, with everything stopped again. */
export async function startService(next: RequestHandler): Promise<Service> {
  const { NEXTAUTH_URL: origin, TRAILMARK_DEV: dev, TRAILMARK_DATA_DIR } = env();
  try {
    witnessPolicy();
    const aboutKey = checkSigningKey();
    if (aboutKey) log.warn(aboutKey);
    await checkTokenKey();
    await startTracing();
    await prepareDatabase();
    // One statement reads the rows of many organizations, which a distributed log does not.
    const onDifference = databaseAddresses().citus ? undefined : raiseDifferences;
    await startRecording({ dir: join(TRAILMARK_DATA_DIR, "spool"), onDamage: raiseHeadAlarm, onDifference });
    const notice = await ensureFirstAdmin();
    notifyOthersBy(() => relay().notifyCallersChanged());
    await relay().listen();
    await startWorkers();
    publishRoutes(routes);
    globalThis.trailmark = pages;
    return {
      listener: createListener({ routes, next, origin, dev }),
      notice,
      closeStreams,
      stop: () => stopService(),
    };
  } catch (error) {
    await stopService().catch(() => {});
    throw error;
  }
}
