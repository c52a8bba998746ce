import { type RetentionRun, runRetention } from "@/server/retention/run";
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

/** One pruning run now, or with --dry-run a look at what it would remove. */
export const retention: Command = {
  usage: "[--dry-run] [--org ID]...",
  summary: "prune expired audit rows now; --dry-run only looks",
  async run(args) {
    const { values } = readArgs(args, { "dry-run": { type: "boolean" }, org: { type: "string", multiple: true } });
    const dryRun = values["dry-run"] ?? false;
    const run = await onPlatform(() => runRetention({ dryRun, ...(values.org ? { orgIds: values.org } : {}) }));
    if (run.status === "disabled") tell("AUDIT_ADMIN_DATABASE_URL is not set: nothing can be pruned.");
    else if (run.status === "busy") tell("Another process is pruning right now.");
    else describe(run);
    return run.status === "done" && !run.organizations.some((o) => o.error) ? 0 : 1;
  },
};
