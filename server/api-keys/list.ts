import { asc, count, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { paginate } from "@/server/devices/list";
import { operation } from "@/server/operation";
import { apiKeyPage, listInput } from "./schema";
import { keysInScope, toApiKeys } from "./to-api-key";

/** The API keys that the caller administers, newest first, revoked ones included. */
export const listApiKeys = operation({
  permission: "api_keys:manage",
  input: listInput,
  output: apiKeyPage,
  run(ctx, input) {
    const where = keysInScope(ctx);
    return tenant(ctx.scope, async (tx) => {
      const [rows, [counted]] = await Promise.all([
        tx
          .select()
          .from(apiKeys)
          .where(where)
          .orderBy(desc(apiKeys.createdAt), asc(apiKeys.id))
          .limit(input.limit)
          .offset((input.page - 1) * input.limit),
        tx.select({ total: count() }).from(apiKeys).where(where),
      ]);
      return { data: await toApiKeys(rows), pagination: paginate(input, counted?.total ?? 0) };
    });
  },
});
