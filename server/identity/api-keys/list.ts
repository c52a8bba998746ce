import { asc, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { apiKeys } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { inReach } from "@/server/ground/scope";
import { apiKeyPage, listInput } from "./schema";
import { toApiKeys } from "./to-api-key";

/** The API keys that the caller administers, newest first, revoked ones included. */
export const listApiKeys = operation({
  permission: "api_keys:manage",
  input: listInput,
  output: apiKeyPage,
  run(ctx, input) {
    const where = inReach(apiKeys, ctx.scope);
    return tenant(ctx.scope, async (tx) => {
      const query = tx.select().from(apiKeys).orderBy(desc(apiKeys.createdAt), asc(apiKeys.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: apiKeys, query, where });
      return { data: await toApiKeys(rows), pagination };
    });
  },
});
