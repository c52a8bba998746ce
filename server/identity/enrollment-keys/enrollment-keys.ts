import { and, asc, desc, eq, isNull } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { enrollmentKeys } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { invalid, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { partnerOfOrg } from "@/server/ground/partner";
import { isoTimes } from "@/server/ground/records";
import { inScope, ownOrg } from "@/server/ground/scope";
import { newSecret } from "@/server/ground/secrets";
import { onlyIdInput } from "@/server/ground/wire";
import { createdEnrollmentKey, createInput, type EnrollmentKey, enrollmentKeyPage, listInput } from "./schema";

/** A key for output, without its hash. */
const toEnrollmentKey = ({ keyHash: _, ...row }: typeof enrollmentKeys.$inferSelect): EnrollmentKey => isoTimes(row);

/** Enrollment keys of the caller's organizations, newest first, including revoked ones. */
export const listEnrollmentKeys = operation({
  permission: "agents:enroll",
  input: listInput,
  output: enrollmentKeyPage,
  run(ctx, input) {
    const where = inScope(enrollmentKeys.orgId, ctx.scope);
    return tenant(ctx.scope, async (tx) => {
      const query = tx
        .select()
        .from(enrollmentKeys)
        .orderBy(desc(enrollmentKeys.createdAt), asc(enrollmentKeys.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: enrollmentKeys, query, where });
      return { data: rows.map(toEnrollmentKey), pagination };
    });
  },
});

/** Counts keys that are not revoked. */
const MAX_PER_ORGANIZATION = 1_000;
const t = enrollmentKeys;

/**
 * Creates a key with which agents enroll into one organization. Only this answer has the key.
 * @throws AppError validation_failed without an organization, or when it would be expired at once; conflict when there
 * are too many; not_found when the platform's operator names one that does not exist.
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

/**
 * Revokes an enrollment key for good; agents enrolled with it stay. A revoked one stays as is.
 * @throws AppError not_found
 */
export const revokeEnrollmentKey = operation({
  permission: "agents:enroll",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    const revokedAt = ctx.now();
    const row = await tenant(ctx.scope, async (tx) => {
      const where = and(inScope(enrollmentKeys.orgId, ctx.scope), eq(enrollmentKeys.id, id));
      const [found] = await tx.select().from(enrollmentKeys).where(where).for("update");
      if (!found) throw notFound("enrollment key");
      if (!found.revokedAt) await tx.update(enrollmentKeys).set({ revokedAt }).where(where);
      return found;
    });
    if (row.revokedAt) return;
    record(ctx, {
      action: "enrollment_key.revoke",
      orgId: row.orgId,
      ...resourceOf("enrollment_key", { id: row.id, name: row.prefix }),
      details: { before: { revokedAt: null }, after: { revokedAt: revokedAt.toISOString() }, uses: row.uses },
    });
  },
});
