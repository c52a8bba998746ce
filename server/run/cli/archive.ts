import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@/db/thrown";
import { LogTrust } from "@/server/evidence/bundle/trust";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import type { Trust } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { systemCtx } from "@/server/ground/context";
import { beginRestoration, restore as restoreNow } from "@/server/notify/streams/archive/restore";
import { restoreInput } from "@/server/notify/streams/archive/schema";
import { type Found, judgeSeries, type Verdict } from "@/server/notify/streams/archive/series";
import { type Manifest, manifestKey, readManifest } from "@/server/notify/streams/destinations/archive-manifest";
import { organizationOf } from "./accounts";
import { type Command, innerField, readArgs, required, say, UsageError, visible } from "./command";
import { onPlatform } from "./platform";
import { openFile, readText } from "./read-bytes";
import { EXIT_CODE, firstOf, judging, wordOf } from "./show-verdict";
import { trustOf, trustOptions } from "./trust";

const OBJECT = /\.ndjson\.gz$/;
const MANIFEST = /\.manifest\.json$/;

/** Fault of a manifest's signature; null under a trusted key. */
function signatureFault({ manifest, note }: { manifest: Manifest; note: string }, trust: Trust): Found["faults"] {
  const parsed = parseNote(note);
  const { trusted, bad } = new LogTrust(noteTools, trust, { origin: manifest.origin, named: [] }).signersOf(
    parsed ?? { text: "", signatures: [] },
  );
  if (bad) return [{ isBroken: true, reason: "a signature of its manifest does not hold" }];
  return trusted.length > 0 ? [] : [{ isBroken: false, reason: "no trusted key signed its manifest" }];
}

async function digestOf(file: string): Promise<string> {
  const sha = createHash("sha256");
  await pipeline(createReadStream(file), sha);
  return sha.digest("hex");
}

/** Checks an object against its manifest, and its entries against the trusted keys. */
async function objectFaults(file: string, manifest: Manifest, trust: Trust): Promise<Found["faults"]> {
  const broken = (reason: string) => [{ isBroken: true, reason }];
  if ((await digestOf(file)) !== manifest.digest) return broken("its SHA-256 is not the one in its manifest");
  const { chunks } = await openFile(file);
  const verdict = await verifyBundle(chunks, noteTools, { trust });
  if (verdict.status === "unreadable") return broken(`line ${verdict.line}: ${verdict.reason}`);
  const [first] = verdict.breaks;
  if (first) return broken(`${first.kind} at sequence ${first.seq}`);
  if (verdict.header?.orgId !== manifest.orgId) return broken("it is of another organization");
  if (verdict.firstSeq !== manifest.first || verdict.lastSeq !== manifest.last)
    return broken(`it holds the entries ${verdict.firstSeq} to ${verdict.lastSeq}`);
  const leftOut = manifest.last - manifest.first + 1 - verdict.rowsChecked;
  if (leftOut > 0) return broken(`it leaves out ${leftOut} entries`);
  return verdict.reasons.map((reason) => ({ isBroken: false, reason }));
}

async function readPair(base: string, path: string, { trust, objects }: Reading): Promise<Found> {
  const read = readManifest(readText(join(base, path)));
  if (!read) return { path, manifest: null, faults: [{ isBroken: true, reason: "it is not a manifest" }] };
  const { manifest } = read;
  const object = path.replace(MANIFEST, ".ndjson.gz");
  const faults = signatureFault(read, trust);
  const found = { path: object, manifest };
  if (!objects.has(object)) return { ...found, faults: [...faults, { isBroken: true, reason: "it is missing" }] };
  if (!manifest.object.endsWith(object.slice(object.lastIndexOf("/") + 1)))
    return { ...found, faults: [...faults, { isBroken: true, reason: "its manifest is of another object" }] };
  return { ...found, faults: [...faults, ...(await objectFaults(join(base, object), manifest, trust))] };
}

type Reading = { trust: Trust; objects: ReadonlySet<string> };

/**
 * Judges a copy of an archive in a folder: objects against manifests, signatures, entries, and gaps in the series.
 * Reads only files.
 * @throws Error in words when the folder cannot be read, or holds no archive
 */
async function verifyFolder(base: string, trust: Trust): Promise<Verdict> {
  const names = await readdir(base, { recursive: true }).catch((error: unknown) => {
    throw new Error(`${base}: ${messageOf(error)}`);
  });
  const objects = new Set(names.filter((name) => OBJECT.test(name)));
  const manifests = names.filter((name) => MANIFEST.test(name)).sort();
  const found: Found[] = [];
  for (const path of manifests) found.push(await readPair(base, path, { trust, objects }));
  const known = new Set(manifests);
  for (const path of [...objects].sort())
    if (!known.has(manifestKey(path)))
      found.push({ path, manifest: null, faults: [{ isBroken: false, reason: "it has no manifest" }] });
  if (found.length === 0) throw new Error(`${base}: it holds no archive`);
  return judgeSeries(found);
}

const MAX_SHOWN = 20;

function show({ status, organizations, faults, reasons }: Verdict): void {
  say(`${wordOf(status)}: archive`);
  for (const { orgId, objects, entries, first, last } of organizations)
    innerField("Holds", `${orgId}: ${entries} entries in ${objects} objects, sequence ${first} to ${last}`);
  for (const text of firstOf(faults, MAX_SHOWN, String)) innerField("Broken", text);
  for (const text of firstOf(reasons, MAX_SHOWN, String)) innerField("Not proven", text);
}

/** Verifies a copy of an archive locally: no configuration, database or network. */
async function verify(args: string[]): Promise<number> {
  const options = { ...trustOptions, json: { type: "boolean", default: false } } as const;
  const { values, positionals } = readArgs(args, options, 1);
  const folder = required(positionals[0], "FOLDER");
  const trust = trustOf(values);
  const verdict = await verifyFolder(folder, trust);
  if (values.json) say(JSON.stringify(verdict));
  else show(verdict);
  return EXIT_CODE[verdict.status];
}

/** Restores a range beside the log for a day, and waits until it is available. */
async function restore(args: string[]): Promise<number> {
  const text = { type: "string" } as const;
  const { values } = readArgs(args, { org: text, from: text, to: text, "from-seq": text, "to-seq": text });
  const number = (name: "from-seq" | "to-seq") => (values[name] === undefined ? undefined : Number(values[name]));
  const given = { from: values.from, to: values.to, fromSeq: number("from-seq"), toSeq: number("to-seq") };
  const range = restoreInput.parse(given);
  const org = required(values.org, "--org");
  const done = await onPlatform(async () => {
    const { id } = await beginRestoration(
      systemCtx(),
      { ...range, orgId: await organizationOf(org) },
      { isQueued: false },
    );
    return restoreNow(id, new AbortController().signal);
  });
  if (done?.state !== "ready") {
    say(`BROKEN ${visible(done?.error ?? "the restored range was removed meanwhile")}`);
    return EXIT_CODE.broken;
  }
  say(
    `${done.rows} entries, sequence ${done.firstSeq} to ${done.lastSeq}, each checked; until ${done.expiresAt.toISOString()}.`,
  );
  return EXIT_CODE.intact;
}

export const archive: Command = {
  usage:
    "verify FOLDER [--key VERIFIER_KEY]... [--policy FILE] [--json] | restore --org ID_OR_SLUG [--from-seq N --to-seq N | --from TIME --to TIME]",
  summary:
    "check a copy of an archive, or restore a range for a day; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  failed: EXIT_CODE.unreadable,
  async run([what, ...args]) {
    if (what === "verify") return judging(args, () => verify(args));
    if (what === "restore") return restore(args);
    throw new UsageError("verify or restore is needed.");
  },
};
