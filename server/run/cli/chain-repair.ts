import type { Break } from "@/server/evidence/chain/verifier";
import type { Judged } from "@/server/evidence/integrity/judge";
import { continueChain as continueOrganization } from "@/server/retention/continue-chain";
import { repairHead as repair } from "@/server/retention/repair-head";
import { organizationOf } from "./accounts";
import { type Command, printNote, readArgs, required, say } from "./command";
import { onPlatform } from "./platform";
import { EXIT_CODE, showBreaks, wordOf } from "./show-verdict";

/** Refuses a chain whose entries are not intact. @returns the exit code */
function refuse(done: { breaks: readonly Break[] }, why: string): number {
  printNote(`Refused: ${why} Nothing was changed.`);
  showBreaks(done);
  return EXIT_CODE.broken;
}

/** Shows the verdict over the changed chain. @returns the exit code */
function showAfter(after: Judged, text: string): number {
  say(`${wordOf(after.status).padEnd(10)} the whole chain, ${text}`);
  for (const reason of after.reasons) say(`  ${reason}`);
  showBreaks(after);
  return EXIT_CODE[after.status];
}

/** Lets a chain continue from an older restored state, permanently recorded, signed and visible. */
export const continueChain: Command = {
  usage: "--org ID_OR_SLUG",
  summary:
    "let a chain continue that was restored to an older state or lost all entries: recorded, signed, never intact over what was lost; exit code 3 done, 0 nothing to do, 1 refused",
  async run(args) {
    const { values } = readArgs(args, { org: { type: "string" } });
    const org = required(values.org, "--org");
    const done = await onPlatform(async () => continueOrganization(await organizationOf(org)));
    if (done.kind === "right") {
      say("The chain holds everything that this server has signed: there is nothing to do.");
      return EXIT_CODE.intact;
    }
    if (done.kind === "refused") return refuse(done, "the entries that are there are broken themselves.");
    if (done.kind === "finished")
      say("Finished   an earlier run, which had signed the restoration and not recorded it");
    else {
      const { lastSeq, proven, lost } = done;
      say(`Continues  behind sequence ${lastSeq}; proven to be what was signed through sequence ${proven}`);
      say(`Lost       entries of a checkpoint of ${lost.size} entries, signed ${lost.signedAt}`);
    }
    return showAfter(done.after, "as every verdict over it says from now on");
  },
};

/** Rebuilds a chain's lost head from its proven rows. */
export const repairHead: Command = {
  usage: "--org ID_OR_SLUG",
  summary: "rebuild the lost head of a chain from its verified entries; exit code 0 done or right already, 1 refused",
  async run(args) {
    const { values } = readArgs(args, { org: { type: "string" } });
    const org = required(values.org, "--org");
    const done = await onPlatform(async () => repair(await organizationOf(org)));
    if (done.kind === "right") {
      say("The head of this chain is its newest entry: there is nothing to repair.");
      return EXIT_CODE.intact;
    }
    if (done.kind === "refused") return refuse(done, "the chain is broken, and a new head would hide it.");
    const { before, head, rows, after } = done;
    say(`Head       sequence ${head.seq}; before ${before === null ? "none" : `sequence ${before}`}`);
    say(`Entries    ${rows} read and proven`);
    return showAfter(after, "read again with its new head");
  },
};
