import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { users } from "@/db/schema";
import { messageOf } from "@/db/thrown";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import { isMailConfigured, sendMail } from "@/server/ground/mail";
import { operation } from "@/server/ground/operation";
import { homeOrgOf } from "@/server/ground/partner";
import { isPartnerRole } from "@/server/ground/permissions";
import { inReach, reaches } from "@/server/ground/scope";
import { inOneLine } from "@/server/ground/text";
import { onlyIdInput } from "@/server/ground/wire";
import { findUserCaller } from "@/server/identity/auth/caller";
import { requireMayGrantRole, requireWholePartner } from "@/server/identity/auth/grant";
import { handOutPasswordLink } from "@/server/identity/auth/links/password-link";
import { forgetIdentities } from "@/server/identity/auth/oidc/oidc";
import type { LinkKind } from "@/server/identity/auth/user-tokens";
import { invitation } from "./schema";
import { userColumns } from "./users";

async function findInvitable(ctx: Ctx, id: string) {
  const where = and(inReach(users, ctx.scope), eq(users.id, id));
  const row = await tenant(ctx.scope, async (tx) => {
    const [found] = await tx.select(userColumns).from(users).where(where);
    if (!found) throw notFound("user");
    requireMayGrantRole(ctx, found.role);
    if (isPartnerRole(found.role) && found.allOrganizations) await requireWholePartner(tx, ctx);
    return found;
  });
  const theirs = await findUserCaller(row.id);
  if (!theirs) throw new AppError("conflict", "The account is disabled; enable it first.");
  // The link gives its holder the person's reach.
  if (theirs.scope.kind === "partner" && !theirs.scope.orgIds.every((orgId) => reaches(ctx.scope, orgId)))
    throw new AppError("forbidden", "They have access to organizations that you have no access to.");
  return row;
}

/** The link is delivered, so a failure here must neither be reported nor undone. */
const unlink = (userId: string): Promise<number> =>
  forgetIdentities(userId).catch((error: unknown) => {
    log.error({ err: error, userId }, "a person who was sent a link is still linked to their identity provider");
    return 0;
  });

const textOf = (name: string, kind: LinkKind, link: string): string =>
  [
    `Hello ${inOneLine(name)},`,
    kind === "invite"
      ? "you have been invited to Trailmark. Choose your password within seven days:"
      : "an administrator has sent you this link to choose a new Trailmark password. It is good for one hour:",
    link,
  ].join("\n\n");

/**
 * POST /users/:id/invite: a link to choose a password, or a new one after earlier sign-ins. Mailed if mail is
 * configured (no one else sees it), else returned once. A newer link replaces an older one, unless the mail server
 * refuses it, and unlinks the identity provider: the next sign-in there with the verified address links again.
 * @throws AppError not_found, forbidden for a person above the caller, conflict for a disabled person or one who is
 * being changed, unavailable when the mail server does not take it.
 */
export const inviteUser = operation({
  permission: "users:manage",
  stepUp: () => true,
  input: onlyIdInput,
  output: invitation,
  waits: true,
  async run(ctx, { id }) {
    const row = await findInvitable(ctx, id);
    const kind: LinkKind = row.invited ? "invite" : "reset";
    const orgId = row.orgId ?? (await homeOrgOf(row.partnerId));
    const sentTo = isMailConfigured() ? row.email : null;
    const event = {
      action: kind === "invite" ? ("user.invite" as const) : ("user.password.reset.request" as const),
      orgId,
      ...resourceOf("user", row),
    };
    const subject = kind === "invite" ? "You are invited to Trailmark" : "Choose a new Trailmark password";
    const replaces: LinkKind[] = ["invite", "reset"];
    const about = { userId: row.id, kind, replaces, now: ctx.now(), checked: row };
    const { link, expiresAt } = await handOutPasswordLink(about, async (made) => {
      if (sentTo)
        await sendMail({ to: sentTo, subject, text: textOf(row.name, kind, made.link) }).catch((error: unknown) => {
          record(ctx, { ...event, details: { sentTo: null }, result: "failure", errorMessage: messageOf(error) });
          throw error;
        });
      const unlinkedIdentities = await unlink(row.id);
      const unlinked = unlinkedIdentities > 0 ? { unlinkedIdentities } : {};
      record(ctx, { ...event, details: { sentTo, expiresAt: made.expiresAt.toISOString(), ...unlinked } });
    });
    return { kind, sentTo, link: sentTo ? null : link, expiresAt: expiresAt.toISOString() };
  },
});
