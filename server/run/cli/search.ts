import { asc } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema/index";
import { rebuildIndex } from "@/server/audit/search/search-worker";
import { organizationsOf } from "./accounts";
import { type Command, readArgs, say, UsageError } from "./command";
import { onPlatform } from "./platform";

/** Rebuilds the search index from the entries; answers do not change. */
export const search: Command = {
  usage: "rebuild [--org ID_OR_SLUG]...",
  summary: "make the search index anew, of every organization or those named; searches are exact and slower meanwhile",
  async run([verb = "", ...args]) {
    if (verb !== "rebuild") throw new UsageError("Say what to do with the search index: rebuild.");
    const { values } = readArgs(args, { org: { type: "string", multiple: true } });
    await onPlatform(async () => {
      if (!layout().isIndexed) throw new UsageError("On Citus there is no search index.");
      const every = () =>
        asSystem((tx) => tx.select({ id: organizations.id }).from(organizations).orderBy(asc(organizations.id)));
      const orgIds = (await organizationsOf(values.org)) ?? (await every()).map(({ id }) => id);
      for (const orgId of orgIds) {
        await rebuildIndex(orgId);
        say(`Rebuilt ${orgId}`);
      }
    });
    return 0;
  },
};
