import { CHAIN_COLUMNS } from "./copy-rows";

/** The COPY of a part of a chain in order. It takes no parameters; the values are a checked UUID and numbers. */
export function copyQuery(orgId: string, first: number, last: number, whole: boolean): string {
  const range = whole ? "chain_seq IS NOT NULL" : `chain_seq BETWEEN ${Math.floor(first)} AND ${Math.floor(last)}`;
  return `COPY (SELECT ${CHAIN_COLUMNS} FROM audit_logs WHERE org_id = '${orgId.replace(/[^0-9a-f-]/gi, "")}' AND ${range} ORDER BY audit_logs.chain_seq) TO STDOUT (FORMAT binary)`;
}
