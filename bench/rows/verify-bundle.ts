import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { interleave, rateOf } from "@/bench/harness";
import type { ChainRow } from "@/server/audit/row";
import type { BundleHeader } from "@/server/evidence/bundle/format";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import { canonicalPayload } from "@/server/evidence/chain/chain";
import { parseTrust } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";

const BLOCK_ROWS = 20_000;

const linesOf = (file: string) => createInterface({ input: createReadStream(file, { highWaterMark: 2 ** 20 }) });

/** Time to hash the payloads only: they are created in blocks, outside the measurement. */
async function hashPayloads(file: string): Promise<{ rows: number; ms: number }> {
  let [rows, ms] = [0, 0];
  let block: Uint8Array[] = [];
  const flush = () => {
    const started = performance.now();
    for (const payload of block) hash("sha256", payload, "hex");
    ms += performance.now() - started;
    rows += block.length;
    block = [];
  };
  for await (const line of linesOf(file)) {
    const row: ChainRow & { type: string } = JSON.parse(line);
    if (row.type === "row" && block.push(canonicalPayload(row)) === BLOCK_ROWS) flush();
  }
  flush();
  return { rows, ms };
}

async function firstOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  throw new Error("the bundle is empty");
}

/** Row 8, in its own process: the offline verifier on a file, and SHA-256 over its payloads. */
export async function verifyBundleFile(file: string, rounds: number) {
  // Trusts the bundle's own keys: trust costs nothing, but an unproven verdict would skew the result.
  const { publicKeys: keys }: BundleHeader = JSON.parse(await firstOf(linesOf(file)));
  const trust = parseTrust(noteTools.sha256, keys.join("\n"));
  if ("reason" in trust) throw new Error(trust.reason);
  const verify = () => verifyBundle(createReadStream(file, { highWaterMark: 2 ** 20 }), noteTools, { trust });
  const verdict = await verify();
  if (verdict.status !== "intact") throw new Error(`the bundle is ${JSON.stringify(verdict).slice(0, 300)}`);
  const rates = await interleave(rounds, {
    verify: () => rateOf(verdict.rowsChecked, verify),
    hash: async () => {
      const { rows, ms } = await hashPayloads(file);
      return (rows * 1000) / ms;
    },
  });
  return { rows: verdict.rowsChecked, ...rates };
}
