import type { RequestListener } from "node:http";
import { join } from "node:path";
import type { RequestHandler } from "next/dist/server/next";
import { appSql } from "@/db/client";
import { tightLimits } from "@/db/limits";
import { migrate } from "@/db/migrate";
import { startRecording } from "@/server/audit/record/record";
import { relay } from "@/server/devices/live/relay";
import { createListener } from "@/server/doors/front/front";
import { pages } from "@/server/doors/front/pages";
import { publishRoutes } from "@/server/doors/http/openapi";
import { routes } from "@/server/doors/http/routes.generated";
import { checkSigningKey } from "@/server/evidence/chain/signing-key";
import { raiseHeadAlarm } from "@/server/evidence/integrity/heads";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import { closeStreams, notifyOthersBy } from "@/server/ground/background/streams";
import { startTracing } from "@/server/ground/background/tracing";
import { databaseAddresses, env, ownPoolSize } from "@/server/ground/env";
import { log } from "@/server/ground/log";
import { checkTokenKey } from "@/server/identity/auth/jwt";
import { ensureFirstAdmin } from "@/server/setup/setup";
import { checkAddresses } from "./check-addresses";
import { refuseUnsafeRole } from "./guard-role";
import { stopService } from "./stop";
import { startWorkers } from "./workers";

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
    await startRecording({ dir: join(TRAILMARK_DATA_DIR, "spool"), onDamage: raiseHeadAlarm });
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
      stop: stopService,
    };
  } catch (error) {
    await stopService().catch(() => {});
    throw error;
  }
}
