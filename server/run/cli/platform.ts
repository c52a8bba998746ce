import { join } from "node:path";
import { closeDatabase } from "@/db/client";
import { migrate } from "@/db/migrate";
import { startRecording, stopRecording } from "@/server/audit/record/record";
import { databaseAddresses, env } from "@/server/ground/env";
import { refuseUnsafeRole } from "@/server/run/process/guard-role";
import { prepareEnvironment } from "@/server/run/process/prepare";

/**
 * Runs a command with the server's environment: settings, PostgreSQL (attached if already running, otherwise started
 * for the command), migrations and recorder. Works beside a running server.
 * @throws EnvError also without an installation, unless the command may create one
 */
export async function onPlatform<T>(work: () => Promise<T>, options?: { mayMake: boolean }): Promise<T> {
  const embedded = await prepareEnvironment(options);
  try {
    const { TRAILMARK_DATA_DIR } = env();
    await migrate(databaseAddresses());
    await refuseUnsafeRole();
    await startRecording({ dir: join(TRAILMARK_DATA_DIR, "spool") });
    try {
      return await work();
    } finally {
      await stopRecording();
      await closeDatabase();
    }
  } finally {
    await embedded?.stop();
  }
}
