import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { conditionsOf } from "@/server/audit/query/conditions";
import { toRowFilter } from "@/server/audit/query/plan";
import { allOf, ENTRY, type EntryRow, rowsBetween, type Shape, withNames } from "@/server/audit/query/rows";
import { originOfOrg } from "@/server/evidence/checkpoints/stored-note";
import type { Scope } from "@/server/ground/context";
import type { Sealed } from "./formats/digest";
import type { StreamedEntry } from "./formats/format";
import { readFilter } from "./schema";

/** A span of one chain: entries after a sequence through another. */
export type Span = { after: number; through: number };

/** The stream's owner, which determines the visible names, and its filter. */
export type Reader = {
  owner: { orgId: string | null; partnerId: string };
  organization: { id: string; name: string; slug: string };
  filter: Record<string, unknown>;
};

type StreamedRow = EntryRow & { sealed_ms: number };
const STREAMED: Shape<StreamedRow> = {
  columns: sql`${ENTRY.columns}, (extract(epoch FROM a.sealed_at) * 1000)::float8 AS sealed_ms`,
  output: ENTRY.output,
};

const scopeOf = ({ owner, organization: { id } }: Reader): Scope =>
  owner.orgId
    ? { kind: "organization", orgIds: [id], partnerId: owner.partnerId }
    : { kind: "partner", orgIds: [id], partnerId: owner.partnerId };

const within = (orgId: string, { after, through }: Span): SQL =>
  sql`${layout().spansOf([{ orgId, after, through }])[0]}, ${rowsBetween(sql`o.after`, sql`o.through`)}`;

async function entriesOf(tx: Tx, { organization }: Reader, query: SQL): Promise<StreamedEntry[]> {
  const rows = await withNames(tx, query, STREAMED);
  const origin = originOfOrg(organization.id);
  return rows
    .map((row) => ({
      ...{ entry: toFullEntry(row), row, organization, origin },
      sealedAt: new Date(row.sealed_ms).toISOString(),
    }))
    .sort((a, b) => a.entry.chainSeq - b.entry.chainSeq);
}

async function matching(tx: Tx, reader: Reader, span: Span): Promise<StreamedEntry[]> {
  const { id } = reader.organization;
  const filter = readFilter(reader.filter);
  const where = allOf(conditionsOf(await toRowFilter(tx, { scope: scopeOf(reader), orgIds: [id], filter })));
  return entriesOf(tx, reader, sql`SELECT ${STREAMED.columns} FROM ${within(id, span)} WHERE ${where}`);
}

/** Entries of a chain's span that pass a stream's filter, in chain order. */
export const readEntries = (reader: Reader, span: Span): Promise<StreamedEntry[]> =>
  tenant(scopeOf(reader), (tx) => matching(tx, reader, span));

/** A sealed entry by id, whatever the filter. */
export const readEntry = (reader: Reader, id: string): Promise<StreamedEntry[]> =>
  tenant(scopeOf(reader), (tx) => {
    const where = sql`a.id = ${id}::uuid AND a.org_id = ${reader.organization.id}::uuid AND a.chain_seq IS NOT NULL`;
    return entriesOf(tx, reader, sql`SELECT ${STREAMED.columns} FROM audit_logs a WHERE ${where}`);
  });

/** Sequence and checksum of every entry in a chain's span. */
export const readSealed = (reader: Reader, span: Span): Promise<Sealed[]> =>
  tenant(scopeOf(reader), async (tx) => {
    const rows = await rowsOf<{ seq: number; checksum: string }>(
      tx,
      sql`SELECT a.chain_seq::float8 AS seq, a.checksum FROM ${within(reader.organization.id, span)} ORDER BY 1`,
    );
    return rows.map(({ seq, checksum }) => [seq, checksum]);
  });
