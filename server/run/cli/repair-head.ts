import { repairHead as repair } from "@/server/retention/repair-head";
import { type Command, printNote, readArgs, required, say } from "./command";
import { knownOrganization } from "./known-organization";
import { onPlatform } from "./platform";
import { showBreaks } from "./show-verdict";
import { EXIT_CODE, wordOf } from "./verdict-words";

/** Rebuilds the lost head of one chain from its rows, once these are proven. */
export const repairHead: Command = {
  usage: "--org ID",
  summary: "rebuild the lost head of a chain from its verified entries; exit code 0 done or right already, 1 refused",
  async run(args) {
    const { values } = readArgs(args, { org: { type: "string" } });
    const org = required(values.org, "--org");
    const done = await onPlatform(async () => repair(await knownOrganization(org)));
    if (done.kind === "right") {
      say("The head of this chain is its newest entry: there is nothing to repair.");
      return EXIT_CODE.intact;
    }
    if (done.kind === "refused") {
      printNote("Refused: the chain is broken, and a new head would hide it. Nothing was changed.");
      showBreaks(done);
      return EXIT_CODE.broken;
    }
    const { before, head, rows, after } = done;
    say(`Head       sequence ${head.seq}; before ${before === null ? "none" : `sequence ${before}`}`);
    say(`Entries    ${rows} read and proven`);
    say(`${wordOf(after.status).padEnd(10)} the whole chain, read again with its new head`);
    for (const reason of after.reasons) say(`  ${reason}`);
    showBreaks(after);
    return EXIT_CODE[after.status];
  },
};
