import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema";
import { isUuid } from "@/server/ground/ids";
import { UsageError } from "./command";

/** @throws UsageError when it is no id, or no organization's */
export async function knownOrganization(orgId: string): Promise<string> {
  const id = orgId.toLowerCase();
  if (!isUuid(id)) throw new UsageError(`--org: "${orgId}" is not an organization's id.`);
  const rows = await asSystem((tx) =>
    tx.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, id)),
  );
  if (rows.length === 0) throw new UsageError(`--org: there is no organization ${id}.`);
  return id;
}
