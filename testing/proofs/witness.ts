import { once } from "node:events";
import { rmSync } from "node:fs";
import type { Server } from "node:http";
import type { Witness } from "@/server/evidence/tree/policy";
import { parseNote, type VerifierKey } from "@/server/evidence/tree/signed-note";
import { checkpointText } from "@/server/evidence/tree/statement";
import { consistencyProof, leafHash, type NodeId, nodeHash, rootOf } from "@/server/evidence/tree/tree";
import { createWitness } from "@/server/evidence/witness/serve";
import { loadCosigner } from "@/server/evidence/witness/store";
import { itemAt } from "@/server/ground/records";
import { noteTools, signText, type TestKey } from "@/testing/notes";
import { listen } from "@/testing/port-of";
import { tempFolder } from "@/testing/temp-folder";

/** Real witnesses, and logs in memory for them to cosign. */

const { sha256 } = noteTools;

/** Leaves of a log; different salts diverge after the third. */
export const leavesOf = (salt: string, count = 40): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => leafHash(sha256, sha256(Buffer.from(`${i < 3 ? "" : salt}${i}`))));

/** Nodes over some leaves. */
export const nodesOf =
  (leaves: readonly Uint8Array[]) =>
  ({ height, index }: NodeId): Uint8Array => {
    if (height === 0) return itemAt(leaves, index);
    const half = (i: number) => nodesOf(leaves)({ height: height - 1, index: i });
    return nodeHash(sha256, half(2 * index), half(2 * index + 1));
  };

/** Signed checkpoint of a log at a size, with proofs that lead to it. */
export function checkpointAt(size: number, { leaves, key }: { leaves: Uint8Array[]; key: TestKey }) {
  const tree = { sha256, node: nodesOf(leaves) };
  const root = rootOf(tree, 0, size);
  const text = checkpointText({ origin: key.key.name, size, root, signedAt: "2026-11-20T14:06:00.000Z" });
  const note = parseNote(signText(text, key));
  if (!note) throw new Error("The checkpoint is no note.");
  return { note, size, proofFrom: async (older: number) => consistencyProof(tree, older, size) };
}

export type RunningWitness = {
  witness: Witness & { url: string };
  /** Stops it like a crash: connections cut, folder kept. */
  stop: () => Promise<void>;
  /** Restarts it on its folder and address. */
  start: () => Promise<void>;
  remove: () => Promise<void>;
};

/** A separate witness on this machine. */
export async function startWitness(name: string, logs: readonly VerifierKey[]): Promise<RunningWitness> {
  const folder = tempFolder();
  const cosigner = loadCosigner(folder, name);
  let server: Server | null = null;
  let port = 0;
  const start = async () => {
    server = createWitness({ logs, folder, cosigner });
    port = await listen(server, port);
  };
  const stop = async () => {
    const running = server;
    server = null;
    if (!running) return;
    running.closeAllConnections();
    running.close();
    await once(running, "close");
  };
  await start();
  const witness = { name, key: cosigner.key, url: `http://127.0.0.1:${port}/` };
  return { witness, start, stop, remove: () => stop().then(() => rmSync(folder, { recursive: true, force: true })) };
}
