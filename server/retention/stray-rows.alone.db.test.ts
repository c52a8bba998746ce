import { beforeAll, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { signCheckpoint } from "@/server/evidence/integrity/checkpoints";
import { auditRows, daysAgo, roles, tamperBy } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { runRetention } from "./run";
import { listStrayRows, type StrayRow } from "./stray-rows";

/** A signed log of 30 entries, the first 20 of which retention has removed. */
async function createLog(): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 20, { timestamp: daysAgo(400) }));
  await appendAudit(roles.app, auditRows(id, 10));
  await runRetention({ orgIds: [id] });
  await signCheckpoint(id);
  return id;
}

const COPY = "INSERT INTO audit_notes (org_id, kind, size, signed_at, note) SELECT org_id, kind, size";
const CHECKPOINT = "FROM audit_notes WHERE org_id = 'ID' AND kind = 'checkpoint' ORDER BY size DESC LIMIT 1";

const CASES: [string, string, ...string[]][] = [
  ["nothing", "SELECT"],
  [
    "all checkpoints deleted",
    "DELETE FROM audit_notes WHERE org_id = 'ID' AND kind = 'checkpoint'",
    "no note of the newest checkpoint",
  ],
  [
    "receipts deleted",
    "DELETE FROM audit_notes WHERE org_id = 'ID' AND kind = 'receipt'",
    "a head beyond every receipt",
  ],
  [
    "an altered note",
    "UPDATE audit_notes SET note = replace(note, 'days 365', 'days 1') WHERE org_id = 'ID' AND kind = 'receipt'",
    "notes that are altered or not ours",
    "a head beyond every receipt",
  ],
  ["an invalid note", `${COPY} + 1, signed_at, 'x' ${CHECKPOINT}`, "notes that are altered or not ours"],
  [
    "a note under another key's name",
    `${COPY}, signed_at - interval '1 s', replace(note, E'\\u2014 ', E'\\u2014 other.') ${CHECKPOINT}`,
    "notes that are altered or not ours",
  ],
  [
    "a note from the future",
    `${COPY}, signed_at + interval '1 day', note ${CHECKPOINT}`,
    "notes that are altered or not ours",
    "notes of the future",
  ],
  [
    "a note filed under another size",
    `${COPY} + 5, signed_at, note ${CHECKPOINT}`,
    "notes that are altered or not ours",
  ],
  ["the tree's row deleted", "DELETE FROM audit_trees WHERE org_id = 'ID'", "no row of the tree"],
  [
    "a longer tree edge",
    "UPDATE audit_trees SET edge = edge || sha256('x') WHERE org_id = 'ID'",
    "an edge that retention did not leave",
  ],
  [
    "a tile ahead of the log",
    "INSERT INTO audit_tree_tiles (org_id, level, idx, hash, leaves) SELECT 'ID', 0, 0, sha256('x'), decode(repeat('00', 8192), 'hex')",
    "tiles ahead of the log",
  ],
  [
    "a head that claims more pruning",
    "UPDATE audit_chain_heads SET pruned_through_seq = 25 WHERE org_id = 'ID'",
    "a head beyond every receipt",
    "an edge that retention did not leave",
  ],
  [
    "a second head",
    "INSERT INTO audit_chain_heads (org_id, seq, checksum) SELECT org_id, 3, checksum FROM audit_chain_heads WHERE org_id = 'ID'",
    "a second head",
  ],
];

/** Organization of each case. */
const idOf = new Map<string, string>();
let stray: StrayRow[];

beforeAll(async () => {
  for (const [name, statement] of CASES) {
    const id = await createLog();
    await tamperBy(statement.replaceAll("ID", id));
    idOf.set(name, id);
  }
  stray = await listStrayRows();
});

it.for(CASES)("finds stray rows beside a log: %s", ([name, _, ...found]) => {
  expect(stray.filter(({ orgId }) => orgId === idOf.get(name)).map(({ what }) => what)).toEqual(found);
});
