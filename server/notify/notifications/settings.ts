import { eq, inArray } from "drizzle-orm";
import { tenant } from "@/db/client";
import { notificationSettings, organizations } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { isMailConfigured } from "@/server/ground/mail";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { requireMatch } from "@/server/ground/version";
import { noInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { DEFAULT_MAIL_KINDS, DEFAULT_PRODUCT_KINDS, isKind } from "@/server/notify/vocabulary";
import { type Settings, settings, settingsInput } from "./schema";

type Row = typeof notificationSettings.$inferSelect;

function toSettings({ permissions }: Ctx, row: Row | undefined): Settings {
  const mail = row?.mailKinds ?? (permissions.has("audit:manage") ? DEFAULT_MAIL_KINDS : []);
  return {
    productKinds: (row?.productKinds ?? DEFAULT_PRODUCT_KINDS).filter(isKind),
    mailKinds: mail.filter(isKind),
    organizationIds: row?.orgIds ?? null,
    mailConfigured: isMailConfigured(),
  };
}

/**
 * GET /me/notification-settings: the caller's kinds, organizations and channels.
 * @throws AppError forbidden for programs
 */
export const getSettings = operation({
  permission: "audit:read",
  input: noInput,
  output: settings,
  version: (found) => found,
  async run(ctx) {
    const { id } = requirePerson(ctx);
    const [row] = await tenant(ctx.scope, (tx) =>
      tx.select().from(notificationSettings).where(eq(notificationSettings.userId, id)),
    );
    return toSettings(ctx, row);
  },
});

/** The platform's operator reaches any id, even a nonexistent one, for which nobody would ever be notified. */
async function requireKnown({ scope }: Ctx, ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids)];
  const found = await tenant(scope, (tx) => tx.$count(organizations, inArray(organizations.id, wanted)));
  if (found !== wanted.length) throw new AppError("forbidden", "You have no access to that organization.");
}

/**
 * PUT /me/notification-settings: omitted members stay. Not recorded, because it only affects the caller's
 * notifications.
 * @throws AppError forbidden for programs and organizations outside the caller's reach
 */
export const setSettings = operation({
  permission: "audit:read",
  input: settingsInput,
  output: settings,
  version: (changed) => changed,
  stepUp: ({ mailKinds, organizationIds }) => mailKinds !== undefined || organizationIds !== undefined,
  async run(ctx, { productKinds, mailKinds, organizationIds }) {
    const { id } = requirePerson(ctx);
    narrow(ctx, organizationIds ?? undefined);
    if (organizationIds) await requireKnown(ctx, organizationIds);
    const change = {
      ...(productKinds && { productKinds }),
      ...(mailKinds && { mailKinds }),
      ...(organizationIds !== undefined && { orgIds: organizationIds }),
      updatedAt: ctx.now(),
    };
    const [row] = await tenant(ctx.scope, async (tx) => {
      const [before] = await tx
        .select()
        .from(notificationSettings)
        .where(eq(notificationSettings.userId, id))
        .for("update");
      requireMatch(ctx, toSettings(ctx, before));
      return tx
        .insert(notificationSettings)
        .values({ userId: id, ...change })
        .onConflictDoUpdate({ target: notificationSettings.userId, set: change })
        .returning();
    });
    return toSettings(ctx, row);
  },
});
