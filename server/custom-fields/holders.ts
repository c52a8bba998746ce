import { type SQL, sql } from "drizzle-orm";
import type { DefinitionRow } from "./definition";

/** Rows of values (v) that hold the field: its owner's organization, or every organization of its partner. */
export const holders = (row: Pick<DefinitionRow, "id" | "orgId" | "partnerId">): SQL => sql`
  custom_field_values v WHERE v.values ? ${row.id}
    AND v.org_id ${row.orgId ? sql`= ${row.orgId}::uuid` : sql`IN (SELECT id FROM organizations WHERE partner_id = ${row.partnerId}::uuid)`}`;
