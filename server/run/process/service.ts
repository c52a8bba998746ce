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
 * Tries every database address that this process uses, once.
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
 * Time in ms for running work to end, and then for aborted work with its connections; the deadline's remainder is for
 * later steps.
 */
const STOP_TIMES = { work: 2_000, brokenOff: 500 };

const within = (work: Promise<unknown>, ms: number) => Promise.race([work, sleep(ms, undefined, { ref: false })]);

const noteUnclean = (error: unknown): void => log.warn({ err: error }, "the relay did not end cleanly");

/**
 * Stops background work, waits for work behind answers, closes the database and writes pending events, in this order:
 * finished work records itself, and remaining work ends with its connections before recording stops. A relay that
 * cannot close does not block the rest.
 * @param times time limit of each part, in ms
 */
export async function stopService(times = STOP_TIMES): Promise<void> {
  closeFolds();
  const ended = Promise.allSettled([stopWorkers(), pendingWorkDone(), stopRelay().catch(noteUnclean)]);
  await within(ended, times.work);
  await closeDatabase();
  // Work broken off now ends and records itself.
  await within(ended, times.brokenOff);
  closeFolds();
  await stopRecording();
  await stopTracing();
}

/** Everything behind the HTTP server except Next: development replaces it on source changes. */
export type Service = {
  listener: RequestListener;
  /** Message to the operator of a database without an administrator; null once there is one. */
  notice: string | null;
  /** Ends open answers; clients reconnect. */
  closeStreams: () => void;
  /** @see stopService */
  stop: () => Promise<void>;
};

/** Migrates the database to this version; without the owner's address, only checks it. */
async function prepareDatabase(): Promise<void> {
  await migrate({ ...databaseAddresses(), log: (line) => log.info(line), warn: (line) => log.warn(line) });
  const guards = await otherGuards(appSql(), databaseAddresses());
  if (guards.length > 0) log.error({ guards }, "the database's guards are not those of this version");
  await checkAddresses();
  await refuseUnsafeRole();
  for (const sentence of await tightLimits(appSql(), ownPoolSize())) log.warn(sentence);
}

/** @throws EnvError, UnsafeRoleError or the database's error, after stopping everything. */
export async function startService(next: RequestHandler): Promise<Service> {
  const { NEXTAUTH_URL: origin, TRAILMARK_DEV: dev, TRAILMARK_DATA_DIR } = env();
  try {
    witnessPolicy();
    const aboutKey = checkSigningKey();
    if (aboutKey) log.warn(aboutKey);
    await checkTokenKey();
    await startTracing();
    await prepareDatabase();
    // Not on a distributed log, which cannot read rows of many organizations in one statement.
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
