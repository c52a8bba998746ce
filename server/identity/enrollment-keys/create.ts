import { and, eq, isNull } from "drizzle-orm";
import { tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { enrollmentKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { invalid } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { partnerOfOrg } from "@/server/ground/partner";
import { ownOrg } from "@/server/ground/scope";
import { newSecret } from "@/server/ground/secrets";
import { createdEnrollmentKey, createInput } from "./schema";
import { toEnrollmentKey } from "./to-enrollment-key";

/** Of keys that are not revoked. */
const MAX_PER_ORGANIZATION = 1_000;
const t = enrollmentKeys;

/**
 * Creates a key with which agents enrol into one organization. The key is in the answer and nowhere else.
 * @throws AppError validation_failed without an organization, or when it would be expired at once; conflict when there are too many; not_found when the
 * platform's operator names one that does not exist.
 */
export const createEnrollmentKey = operation({
  permission: "agents:enroll",
  stepUp: () => true,
  input: createInput,
  output: createdEnrollmentKey,
  async run(ctx, input) {
    const orgId = input.orgId ?? ownOrg(ctx.scope);
    if (!orgId) throw invalid("orgId", "is needed");
    if (input.expiresAt && input.expiresAt <= ctx.now()) throw invalid("expiresAt", "is in the past");
    await partnerOfOrg(orgId);
    const { secret, shown, hash } = newSecret("enrollment");
    const rows = await tenant(ctx.scope, async (tx) => {
      const where = and(eq(t.orgId, orgId), isNull(t.revokedAt));
      await requireQuota(tx, { table: t, where, max: MAX_PER_ORGANIZATION, owner: orgId, what: "enrollment keys" });
      return tx
        .insert(t)
        .values({
          id: newId(),
          orgId,
          prefix: shown,
          keyHash: hash,
          maxUses: input.maxUses ?? null,
          expiresAt: input.expiresAt ?? null,
          createdBy: ctx.actor.type === "user" ? ctx.actor.id : null,
        })
        .returning();
    });
    const created = toEnrollmentKey(oneOf(rows));
    record(ctx, {
      action: "enrollment_key.create",
      orgId,
      ...resourceOf("enrollment_key", { id: created.id, name: created.prefix }),
      details: { after: { prefix: created.prefix, maxUses: created.maxUses, expiresAt: created.expiresAt } },
    });
    return { ...created, key: secret };
  },
});
