import { and, asc, eq, isNull, ne, or } from "drizzle-orm";
import { tenant } from "@/db/client";
import { dataStreams, organizations } from "@/db/schema/index";
import type { Ctx } from "@/server/ground/context";
import { inScope } from "@/server/ground/scope";
import { DESTINATIONS } from "./destinations";
import { visible } from "./stream";
import type { STREAM_STATES } from "./vocabulary";

/** A destination of an organization's entries: stream, short description of the receiver, and state. */
export type Leaving = { streamId: string; name: string; target: string; state: (typeof STREAM_STATES)[number] };

/** Streams with entries of each of the caller's organizations, without drafts, by name. */
export async function readLeaving(ctx: Ctx): Promise<Map<string, Leaving[]>> {
  const t = dataStreams;
  const carries = or(eq(t.orgId, organizations.id), and(isNull(t.orgId), eq(t.partnerId, organizations.partnerId)));
  const rows = await tenant(ctx.scope, (tx) =>
    tx
      .select({ of: organizations.id, id: t.id, name: t.name, kind: t.kind, config: t.config, state: t.state })
      .from(t)
      .innerJoin(organizations, carries)
      .where(and(visible(ctx), inScope(organizations.id, ctx.scope), ne(t.state, "draft")))
      .orderBy(asc(t.name), asc(t.id)),
  );
  const found = new Map<string, Leaving[]>();
  for (const { of, id, name, kind, config, state } of rows) {
    const target = DESTINATIONS[kind].describe(config);
    found.set(of, [...(found.get(of) ?? []), { streamId: id, name, target, state }]);
  }
  return found;
}
