import type { Tx } from "@/db/client";
import { users } from "@/db/schema";
import { type Owner, ofOwner } from "@/server/ground/scope";
import { requireRoom } from "./room";

/** Of an organization's people, and of a partner's staff. Disabled ones count: who did what is kept. */
const MAX_USERS_PER_OWNER = 10_000;

/** @throws AppError conflict when the organization, or (without one) the partner's staff, has no room for one more */
export async function requireRoomForUser(tx: Tx, owner: Owner): Promise<void> {
  const where = ofOwner(users, owner);
  const remedy = "Disabled ones count; enable one instead.";
  const id = owner.orgId ?? owner.partnerId;
  await requireRoom(tx, { table: users, where, max: MAX_USERS_PER_OWNER, owner: id, what: "users", remedy });
}
