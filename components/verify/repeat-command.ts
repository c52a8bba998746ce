import type { TrustSource } from "@/components/proof/check-proof";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";

/** Quotes an argument for a shell: a file's name may contain spaces and special characters. */
const quoted = (word: string): string => (/^[\w./+=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Prevents a file name that starts with a dash from being read as an option. */
const fileWord = (name: string): string => quoted(name.startsWith("-") ? `./${name}` : name);

/** The command that repeats a check, one option per line, because print would wrap a long line at the wrong place. */
export function repeatCommand(fileName: string, { trust, from }: TrustSource): string {
  // Only a policy can require a quorum.
  const isPolicy = from === "you" && trust.witnesses.length > 0;
  const trusted = isPolicy
    ? ["--policy POLICY_FILE"]
    : trust.logs.map((key) => `--key ${quoted(formatVerifierKey(key))}`);
  return [`npm run trailmark -- verify ${fileWord(fileName)}`, ...trusted].join(" \\\n  ");
}
