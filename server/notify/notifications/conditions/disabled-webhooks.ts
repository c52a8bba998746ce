import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Finding } from "./finding";

/** Endpoints that this server disabled, at their organization or their partner's home. */
export async function checkDisabledWebhooks(): Promise<Finding[]> {
  const rows = await asSystem((tx) =>
    rowsOf<{ orgId: string; names: string[]; ids: string[] }>(
      tx,
      sql`SELECT o.id AS "orgId", array_agg(e.name ORDER BY e.name) AS names,
          array_agg(e.id ORDER BY e.name) AS ids
        FROM webhook_endpoints e
        JOIN organizations o ON o.id = e.org_id OR (e.org_id IS NULL AND o.partner_id = e.partner_id AND o.is_home)
        WHERE e.disabled_by_failure AND e.disabled_at IS NOT NULL
        GROUP BY o.id`,
    ),
  );
  const found = rows.map(({ orgId, names, ids }) => ({ orgId, holds: true, detail: { names, ids } }));
  return [{ kind: "webhook.disabled", checked: "all", found }];
}
