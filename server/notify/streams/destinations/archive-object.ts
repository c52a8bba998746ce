import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { BundleVerdict } from "@/server/evidence/bundle/verdict";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import { ownKeysNamed } from "@/server/evidence/chain/note-signature";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { orgIdOf } from "@/server/evidence/tree/statement";
import { digestOf } from "./s3-client";

const decompress = promisify(gunzip);
/** An object has some thousands of entries; one that expands further is not ours. */
const MAX_PLAIN_BYTES = 1024 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A part of an organization's log. */
export type Range = { orgId: string; first: number; last: number };

/** A parsed object, or its fault in words. lines: its entries by sequence. */
type Read = { digest: string; rows: number; firstAt: Date; lastAt: Date; lines: Map<number, string> };
export type ReadObject = ({ fault: null } & Read) | { fault: string };

/** Origin in a bundle's header, for this organization: our keys sign under it even after the host was renamed. */
function originIn(plain: Buffer, orgId: string): string | null {
  const line = plain.subarray(0, plain.indexOf(NEWLINE)).toString("utf8");
  const origin = /"origin":"([^"\\]+)"/.exec(line)?.[1] ?? "";
  return orgIdOf(origin) === orgId ? origin : null;
}

function faultOf(verdict: BundleVerdict, { orgId, first, last }: Range): string | null {
  if (verdict.status === "unreadable") return `It cannot be read: line ${verdict.line}: ${verdict.reason}.`;
  const [broken] = verdict.breaks;
  if (broken) return `It is broken at sequence ${broken.seq}: ${broken.kind}.`;
  if (verdict.header?.orgId !== orgId) return "It is of another organization.";
  if (verdict.firstSeq !== first || verdict.lastSeq !== last)
    return `It holds the entries ${verdict.firstSeq} to ${verdict.lastSeq} instead of ${first} to ${last}.`;
  // A bundle by time may omit entries in between.
  if (verdict.rowsChecked !== last - first + 1)
    return `It leaves out ${last - first + 1 - verdict.rowsChecked} entries.`;
  return verdict.anchoredThrough === last ? null : "No key of this installation signed it.";
}

/**
 * Reads an archived object with the verifier for bundles: each entry is sealed and in its place under a checkpoint of
 * this installation. Never rejects.
 */
export async function readObject(bytes: Buffer, range: Range): Promise<ReadObject> {
  let plain: Buffer;
  try {
    plain = await decompress(bytes, { maxOutputLength: MAX_PLAIN_BYTES });
  } catch {
    return { fault: "It cannot be decompressed." };
  }
  const origin = originIn(plain, range.orgId);
  const logs = origin === null ? [] : ownKeysNamed(origin);
  const lines = new Map<number, string>();
  const onRow = (start: number, end: number) => {
    const line = plain.subarray(start, end).toString("utf8");
    lines.set(Number(/"chainSeq":(\d+)/.exec(line)?.[1]), line);
  };
  const trust = { logs, witnesses: [], quorum: null };
  const verdict = await verifyBundle([plain], noteTools, { trust, onRow });
  const fault = faultOf(verdict, range);
  if (fault !== null || verdict.status === "unreadable") return { fault: fault ?? "" };
  const time = (iso: string | null) => new Date(iso ?? 0);
  return {
    fault: null,
    digest: digestOf(bytes, "hex"),
    rows: verdict.rowsChecked,
    firstAt: time(verdict.firstTime),
    lastAt: time(verdict.lastTime),
    lines,
  };
}
