import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { operation } from "@/server/ground/operation";
import { aboutEndpoint, auditable, checkAddress, type EndpointRow, lockEndpoint, toWebhook } from "./endpoint";
import { type UpdateInput, updateInput, webhook } from "./schema";

type Able = Pick<EndpointRow, "disabledAt" | "disabledByFailure" | "failingSince" | "pendingFrom">;

/**
 * Enabled again it starts afresh: its failures no longer count, and what happened while it was disabled is not sent. Nor do
 * the failures of another address count.
 */
function able(row: EndpointRow, { url = row.url, disabled }: UpdateInput, now: Date): Able {
  if (disabled === undefined || disabled === (row.disabledAt !== null))
    return url === row.url ? row : { ...row, failingSince: null };
  return { disabledAt: disabled ? now : null, disabledByFailure: false, failingSince: null, pendingFrom: null };
}

/**
 * Changes an endpoint's name, address or kinds, disables or enables it.
 * @throws AppError not_found, forbidden, validation_failed for an address that the operator does not allow
 */
export const updateWebhook = operation({
  permission: "audit:manage",
  input: updateInput,
  output: webhook,
  stepUp: ({ url }) => url !== undefined,
  async run(ctx, input) {
    const { id, name, url, kinds } = input;
    if (url !== undefined) checkAddress(url);
    const now = ctx.now();
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const before = await lockEndpoint(tx, ctx, id);
      const { disabledAt, disabledByFailure, failingSince, pendingFrom } = able(before, input, now);
      const set = {
        name: name ?? before.name,
        url: url ?? before.url,
        kinds: kinds ?? before.kinds,
        disabledAt,
        disabledByFailure,
        failingSince,
        pendingFrom,
      };
      const [after] = await tx
        .update(webhookEndpoints)
        .set({ ...set, updatedAt: now })
        .where(eq(webhookEndpoints.id, id))
        .returning();
      return { before, after: after ?? before, about: await aboutEndpoint(tx, after ?? before) };
    });
    const details = { before: auditable(before), after: auditable(after) };
    const isMoved = before.url !== after.url;
    if (isMoved || JSON.stringify(details.before) !== JSON.stringify(details.after))
      record(ctx, {
        ...about,
        action: "webhook.update",
        details: { ...details, urlChanged: isMoved },
      });
    return toWebhook(after);
  },
});
