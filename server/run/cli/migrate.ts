import { migrate as migrateDatabase } from "@/db/migrate";
import { countMigrations } from "@/db/version";
import { databaseAddresses } from "@/server/ground/env";
import { prepareEnvironment } from "@/server/run/process/prepare";
import { type Command, readArgs, say } from "./command";

/** Brings the database to this version, or without the owner's address says whether it is. */
export const migrate: Command = {
  usage: "",
  summary: "create the roles and apply what the database lacks (needs TRAILMARK_OWNER_DATABASE_URL)",
  async run(args) {
    readArgs(args, {});
    const embedded = await prepareEnvironment({ mayMake: true });
    try {
      const addresses = databaseAddresses();
      let later = "";
      const warn = (line: string) => {
        later = line;
      };
      await migrateDatabase({ ...addresses, log: say, warn });
      say(later || `The database is at this version: ${countMigrations()} migrations applied.`);
      if (!addresses.adminUrl) say("AUDIT_ADMIN_DATABASE_URL is not set: nothing will ever be pruned.");
      return 0;
    } finally {
      await embedded?.stop();
    }
  },
};
