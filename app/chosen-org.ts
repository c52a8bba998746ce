import "server-only";

import type { SearchParams } from "nuqs/server";
import type { Me } from "@/server/identity/me/schema";
import { fetchOrNull, trpc } from "./trpc-server";

/** Organization of a single-organization page; the server's counterpart of OneOrg. */
export async function chosenOrg(searchParams: Promise<SearchParams>): Promise<string | null> {
  const { orgId } = await searchParams;
  const me = await fetchOrNull<Me>(trpc.me.get.queryOptions());
  const [only, ...others] = me?.organizations ?? [];
  const found = me?.organizations.find((o) => o.id === orgId);
  return found?.id ?? (others.length === 0 ? (only?.id ?? null) : null);
}
