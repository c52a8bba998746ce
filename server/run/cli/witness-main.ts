import { messageOf } from "@/db/thrown";
import { printNote, UsageError } from "./command";
import { witness } from "./witness";

/** The witness as a single file for another party's machine, needing only Node. */
try {
  process.exitCode = await witness.run(process.argv.slice(2));
} catch (error) {
  const isMisuse = error instanceof UsageError;
  printNote(isMisuse ? `${error.message}\nUsage: node witness.mjs ${witness.usage}` : messageOf(error));
  process.exitCode = isMisuse ? 2 : 1;
}
