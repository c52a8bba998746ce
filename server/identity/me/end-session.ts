import { asSystem } from "@/db/client";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { endSessions } from "@/server/identity/auth/sessions";

/**
 * DELETE /me/sessions/:id: ends one of the caller's sign-ins; what was made from it is refused from the next request on.
 * @throws AppError not_found for one that has ended or is another user's, forbidden for a program.
 */
export const endSession = operation({
  account: true,
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id: sid }) {
    const person = requirePerson(ctx);
    const ended = await asSystem((tx) => endSessions(tx, { userId: person.id, sid, now: ctx.now() }));
    if (ended === 0) throw notFound("session");
    callersChanged();
    record(ctx, {
      action: "user.session.end",
      orgId: ctx.homeOrgId,
      ...resourceOf("user", person),
      details: { sessionId: sid },
    });
  },
});
