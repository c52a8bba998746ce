import { RAW_COLUMNS } from "./raw-row";

/** Sequences from the first through the last; an end that is null is open, and so takes in what has no business there. */
export type SeqRange = { first: number | null; last: number | null };

/** The COPY of a part of a chain in order, for RawRow. It takes no parameters; the values are a checked UUID and numbers. */
export function copyQuery(orgId: string, { first, last }: SeqRange): string {
  const conditions = [
    `org_id = '${orgId.replace(/[^0-9a-f-]/gi, "")}'`,
    "chain_seq IS NOT NULL",
    ...(first === null ? [] : [`chain_seq >= ${Math.floor(first)}`]),
    ...(last === null ? [] : [`chain_seq <= ${Math.floor(last)}`]),
  ];
  return `COPY (SELECT ${RAW_COLUMNS} FROM audit_logs WHERE ${conditions.join(" AND ")} ORDER BY audit_logs.chain_seq) TO STDOUT (FORMAT binary)`;
}
