import { systemCtx } from "@/server/ground/context";
import { beginRestoration, restore as restoreNow } from "@/server/notify/streams/archive/restore";
import { restoreInput } from "@/server/notify/streams/archive/schema";
import type { Verdict } from "@/server/notify/streams/archive/series";
import { knownOrganization } from "./accounts";
import { verifyFolder } from "./archive-verify";
import { type Command, innerField, readArgs, required, say, UsageError, visible } from "./command";
import { onPlatform } from "./platform";
import { EXIT_CODE, firstOf, judging, wordOf } from "./show-verdict";
import { trustOf, trustOptions } from "./trust";

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
      { ...range, orgId: await knownOrganization(org) },
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
    "verify FOLDER [--key VERIFIER_KEY]... [--policy FILE] [--json] | restore --org ID [--from-seq N --to-seq N | --from TIME --to TIME]",
  summary:
    "check a copy of an archive, or restore a range for a day; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  failed: EXIT_CODE.unreadable,
  async run([what, ...args]) {
    if (what === "verify") return judging(args, () => verify(args));
    if (what === "restore") return restore(args);
    throw new UsageError("verify or restore is needed.");
  },
};
