import type { Held } from "@/components/proof/check-proof";
import { formatVerifierKey } from "@/server/audit/tree/signed-note";

/** A word as a shell takes it: a file's name may hold blanks, and worse. */
const quoted = (word: string): string => (/^[\w./+=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A name that begins with a dash is no option. */
const fileWord = (name: string): string => quoted(name.startsWith("-") ? `./${name}` : name);

/** The command that repeats a check, an option a line: paper breaks a longer one where no shell may. */
export function repeatCommand(fileName: string, { trust, from }: Held): string {
  // A quorum is asked for by the policy alone.
  const isPolicy = from === "you" && trust.witnesses.length > 0;
  const trusted = isPolicy
    ? ["--policy POLICY_FILE"]
    : trust.logs.map((key) => `--key ${quoted(formatVerifierKey(key))}`);
  return [`npm run trailmark -- verify ${fileWord(fileName)}`, ...trusted].join(" \\\n  ");
}
