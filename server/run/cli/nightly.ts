import { type NightlyRun, runNightly } from "@/server/evidence/integrity/nightly";
import { log } from "@/server/ground/log";
import { organizationsOf } from "./accounts";
import { type Command, readArgs, say, UsageError } from "./command";
import { onPlatform } from "./platform";
import { EXIT_CODE, showBreaks, wordOf } from "./show-verdict";

const count = new Intl.NumberFormat("en");

function describe(run: NightlyRun): void {
  for (const found of run.organizations) {
    if (found.error !== undefined) {
      say(`UNREADABLE ${found.orgId}  ${found.error}`);
      continue;
    }
    const { orgId, status, rowsChecked, covered, reasons, breaks } = found;
    const through = covered.lastSeq === null ? "" : `, signed through sequence ${covered.lastSeq}`;
    say(
      `${wordOf(status).padEnd(10)} ${orgId}  ${count.format(rowsChecked)} ${rowsChecked === 1 ? "entry" : "entries"} read${through}`,
    );
    for (const reason of reasons) say(`  ${reason}`);
    showBreaks({ breaks });
  }
  const { verified, broken, unproven, failed } = run;
  say(
    `${verified} ${verified === 1 ? "chain" : "chains"} verified, ${broken} broken, ${unproven} not proven, ${failed} unreadable.`,
  );
}

const exitCodeOf = ({ broken, failed, unproven }: NightlyRun): number => {
  if (broken > 0) return EXIT_CODE.broken;
  if (failed > 0) return EXIT_CODE.unreadable;
  return unproven > 0 ? EXIT_CODE.unproven : EXIT_CODE.intact;
};

/** Runs the nightly verification now. */
export const nightly: Command = {
  usage: "[--org ID_OR_SLUG]... | [--all] [--json]",
  summary: "run the nightly verification now; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  failed: EXIT_CODE.unreadable,
  async run(args) {
    const options = {
      org: { type: "string", multiple: true },
      all: { type: "boolean" },
      json: { type: "boolean" },
    } as const;
    const { values } = readArgs(args, options);
    if (values.all && values.org) throw new UsageError("Give --org or --all, not both.");
    // The report on standard output includes the alarm, so its log line is suppressed.
    if (values.json) log.level = "silent";
    const run = await onPlatform(async () => {
      const orgIds = await organizationsOf(values.org);
      return runNightly(orgIds ? { orgIds } : {});
    });
    if (values.json) say(JSON.stringify(run));
    else describe(run);
    return exitCodeOf(run);
  },
};
