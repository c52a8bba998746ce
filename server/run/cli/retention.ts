import { expiredDeviceLogs, pruneDeviceLogs } from "@/server/devices/logs/prune";
import { refuseMovedClock } from "@/server/retention/clock";
import { type RetentionRun, runRetention } from "@/server/retention/run";
import { whyNotPruned } from "@/server/retention/schedule";
import { organizationsOf } from "./accounts";
import { type Command, printNote, readArgs, say } from "./command";
import { onPlatform } from "./platform";

const counted = new Intl.NumberFormat("en");

function describe(run: RetentionRun): void {
  const verb = run.dryRun ? "would go" : "went";
  for (const { orgId, retentionDays, rows, firstSeq, lastSeq, error } of run.organizations) {
    if (rows > 0)
      say(
        `${orgId}  ${retentionDays} days  ${counted.format(rows)} audit entries ${verb} (sequence ${firstSeq} to ${lastSeq})`,
      );
    if (error) say(`${orgId}  ${retentionDays} days  FAILED: ${error}`);
  }
  const seconds = (run.ms / 1000).toFixed(1);
  say(`${counted.format(run.rows)} audit entries of ${run.organizations.length} organizations ${verb}, ${seconds} s.`);
}

/** isAtLeast: counting stopped there. */
type Count = { rows: number; isAtLeast?: boolean };
type Logs = { orgId: string; diagnostic: Count; events: Count; error?: string | undefined };

const atLeast = ({ rows, isAtLeast }: Count): string => `${isAtLeast ? "more than " : ""}${counted.format(rows)}`;

const inWords = ({ diagnostic, events }: Pick<Logs, "diagnostic" | "events">): string =>
  `${atLeast(diagnostic)} diagnostic logs and ${atLeast(events)} device events`;

const sum = (counts: Count[]): Count => ({
  rows: counts.reduce((rows, count) => rows + count.rows, 0),
  isAtLeast: counts.some(({ isAtLeast }) => isAtLeast),
});

/** @returns whether all organizations could be pruned */
function describeLogs(all: Logs[], verb: string): boolean {
  for (const one of all) {
    if (one.diagnostic.rows + one.events.rows > 0) say(`${one.orgId}  ${inWords(one)} ${verb}`);
    if (one.error) say(`${one.orgId}  device logs FAILED: ${one.error}`);
  }
  const total = { diagnostic: sum(all.map((l) => l.diagnostic)), events: sum(all.map((l) => l.events)) };
  say(`${inWords(total)} of ${all.length} organizations ${verb}.`);
  return !all.some(({ error }) => error);
}

/** Device logs need no elevated role. @returns whether all organizations could be pruned */
async function pruneLogs(dryRun: boolean, only: { orgIds?: readonly string[] }): Promise<boolean> {
  if (dryRun) return describeLogs(await expiredDeviceLogs(only), "would go");
  const done = await pruneDeviceLogs(only);
  const logs = done.map(({ orgId, diagnostic, events, error }) => ({
    orgId,
    diagnostic: { rows: diagnostic },
    events: { rows: events },
    error,
  }));
  return describeLogs(logs, "went");
}

/** Runs pruning now; --dry-run only shows what it would remove. */
export const retention: Command = {
  usage: "[--dry-run] [--org ID_OR_SLUG]...",
  summary: "prune expired audit entries and device logs now; --dry-run only looks",
  async run(args) {
    const { values } = readArgs(args, { "dry-run": { type: "boolean" }, org: { type: "string", multiple: true } });
    const dryRun = values["dry-run"] ?? false;
    const { run, logs } = await onPlatform(async () => {
      const orgIds = await organizationsOf(values.org);
      const only = orgIds ? { orgIds } : {};
      if (!dryRun) await refuseMovedClock();
      return { logs: await pruneLogs(dryRun, only), run: await runRetention({ dryRun, ...only }) };
    });
    if (run.status === "disabled") printNote(`${whyNotPruned()}: no audit entry can be pruned.`);
    else if (run.status === "busy") printNote("Another process is pruning right now.");
    else describe(run);
    return logs && run.status === "done" && !run.organizations.some((o) => o.error) ? 0 : 1;
  },
};
