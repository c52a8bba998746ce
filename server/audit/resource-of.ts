import type { Tx } from "@/db/client";
import { homeOrgIn } from "@/server/ground/partner";
import type { Owner } from "@/server/ground/scope";

type Named = { id: string; name: string | null };

/** Resource of an event for record(). */
export const resourceOf = (resourceType: string, { id, name }: Named) => ({
  resourceType,
  resourceId: id,
  resourceName: name,
});

/**
 * Organization and resource of an event about an owned object, read in the transaction of its change. A partner's is
 * recorded at its home.
 */
export const ownedResource = async (tx: Tx, resourceType: string, object: Named & Owner) => ({
  orgId: object.orgId ?? (await homeOrgIn(tx, object.partnerId)),
  ...resourceOf(resourceType, object),
});
