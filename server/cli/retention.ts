import { expiredDeviceLogs, pruneDeviceLogs } from "@/server/device-logs/prune";
import { type RetentionRun, runRetention } from "@/server/retention/run";
import { whyNotPruned } from "@/server/retention/schedule";
import { type Command, readArgs, say, tell } from "./command";
import { onPlatform } from "./platform";

const counted = new Intl.NumberFormat("en");

function describe(run: RetentionRun): void {
  const verb = run.dryRun ? "would go" : "went";
  for (const { orgId, retentionDays, rows, firstSeq, lastSeq, error } of run.organizations) {
    if (error) say(`${orgId}  ${retentionDays} days  FAILED: ${error}`);
    else if (rows > 0)
      say(`${orgId}  ${retentionDays} days  ${counted.format(rows)} rows ${verb} (sequence ${firstSeq} to ${lastSeq})`);
  }
  const seconds = (run.ms / 1000).toFixed(1);
  say(`${counted.format(run.rows)} rows of ${run.organizations.length} organizations ${verb}, ${seconds} s.`);
}

const atLeast = ({ rows, isAtLeast }: { rows: number; isAtLeast?: boolean }): string =>
  `${isAtLeast ? "more than " : ""}${counted.format(rows)}`;

/** Device logs need no elevated role. @returns whether every organization's could be pruned */
async function pruneLogs(dryRun: boolean, only: { orgIds?: readonly string[] }): Promise<boolean> {
  if (dryRun) {
    for (const { orgId, diagnostic, events } of await expiredDeviceLogs(only))
      if (diagnostic.rows + events.rows > 0)
        say(`${orgId}  ${atLeast(diagnostic)} diagnostic logs and ${atLeast(events)} device events would go`);
    return true;
  }
  const done = await pruneDeviceLogs(only);
  for (const { orgId, diagnostic, events, error } of done)
    if (error) say(`${orgId}  device logs FAILED: ${error}`);
    else if (diagnostic + events > 0)
      say(`${orgId}  ${counted.format(diagnostic)} diagnostic logs and ${counted.format(events)} device events went`);
  return !done.some(({ error }) => error);
}

/** One pruning run now, or with --dry-run a look at what it would remove. */
export const retention: Command = {
  usage: "[--dry-run] [--org ID]...",
  summary: "prune expired audit rows and device logs now; --dry-run only looks",
  async run(args) {
    const { values } = readArgs(args, { "dry-run": { type: "boolean" }, org: { type: "string", multiple: true } });
    const dryRun = values["dry-run"] ?? false;
    const only = values.org ? { orgIds: values.org } : {};
    const { run, logs } = await onPlatform(async () => ({
      logs: await pruneLogs(dryRun, only),
      run: await runRetention({ dryRun, ...only }),
    }));
    if (run.status === "disabled") tell(`${whyNotPruned()}: no audit row can be pruned.`);
    else if (run.status === "busy") tell("Another process is pruning right now.");
    else describe(run);
    return logs && run.status === "done" && !run.organizations.some((o) => o.error) ? 0 : 1;
  },
};
