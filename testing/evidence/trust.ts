import { COSIGNATURE, formatVerifierKey, toBase64 } from "@/server/evidence/tree/signed-note";
import { checkpointText } from "@/server/evidence/tree/statement";
import { consistencyProof, rootOf } from "@/server/evidence/tree/tree";
import { noteTools, testKey } from "@/testing/notes";
import { FORGED, ROWS, strangerKey } from "./base-bundles";
import {
  checkpointOf,
  createBundle,
  installationKey,
  logKey,
  nodesOf,
  ORIGIN,
  signedBy,
  vkeyOf,
  witness,
} from "./bundles";

/** Policy that pins the installation and requires a witness. */
export const POLICY = [
  `log ${vkeyOf(installationKey)}`,
  `witness auditor ${vkeyOf(witness)}`,
  `witness second ${formatVerifierKey(testKey(3, "second.example", COSIGNATURE).key)}`,
  "group both all auditor second",
  "quorum auditor",
  "",
].join("\n");
/** Policy that requires both witnesses. */
export const STRICT_POLICY = POLICY.replace("quorum auditor", "quorum both");

const tree = { sha256: noteTools.sha256, node: nodesOf(ROWS) };
const OLDER = 6;
const since = {
  type: "since" as const,
  size: OLDER,
  hashes: consistencyProof(tree, OLDER, 11).map(toBase64),
};
const larger = (signedAt: string) => checkpointText({ origin: ORIGIN, size: 900, root: rootOf(tree, 0, 11), signedAt });
/** A kept checkpoint of the log, one of a rewritten log, and bundles that continue from the first. */
export const SINCE = {
  note: signedBy(checkpointOf(ROWS, OLDER), [logKey]),
  rewritten: signedBy(checkpointOf(FORGED, OLDER), [logKey]),
  unsigned: signedBy(checkpointOf(ROWS, OLDER), [strangerKey]),
  newer: signedBy(larger("2026-11-20T15:00:00.000Z"), [logKey]),
  shrunk: signedBy(larger("2026-11-20T13:00:00.000Z"), [logKey]),
  same: signedBy(checkpointOf(ROWS), [logKey]),
  bundle: createBundle({ rows: ROWS, since }),
  wrongProof: createBundle({ rows: ROWS, since: { ...since, hashes: since.hashes.toReversed() } }),
};

/** A policy's bundles: cosigned by the witness, and by one with an invalid signature. */
export const COSIGNED = createBundle({ rows: ROWS, witnesses: [witness] });
const badWitness = { ...witness, sign: (message: Parameters<typeof witness.sign>[0]) => witness.sign(`${message} `) };
export const BADLY_COSIGNED = createBundle({ rows: ROWS, witnesses: [badWitness] });
/** Two lines of one witness are no contradiction, unless one is invalid. */
export const TWICE_COSIGNED = createBundle({ rows: ROWS, witnesses: [witness, witness] });
export const ONCE_BADLY_COSIGNED = createBundle({ rows: ROWS, witnesses: [witness, badWitness] });
