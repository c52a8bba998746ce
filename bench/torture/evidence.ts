import { verifyBundle } from "@/server/evidence/bundle/verify";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { itemAt } from "@/server/ground/records";
import type { Mutation } from "@/testing/evidence/base-bundles";
import { installationKey, trustIn, vkeyOf } from "@/testing/evidence/bundles";
import { MUTATIONS } from "@/testing/evidence/mutations";
import { judgedByPython, PYTHON_WORD } from "@/testing/evidence/python";
import type { Line } from "./line";

/** C5: changed bundles, with the log's key and without. */

export const isGood = (word: string): boolean => word === "intact" || word === "empty";
export const KEYS = [vkeyOf(installationKey)];

/** A random byte change of each; changes without effect are discarded. */
function alter({ text, name }: Mutation, random: () => number): Mutation {
  const bytes = Buffer.from(text);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 7));
  return { name: `${name}, byte ${at}`, text: bytes.toString("latin1"), verdict: "broken" };
}

export const bytesOf = ({ name, text }: Mutation) => Buffer.from(text, name.includes(", byte ") ? "latin1" : "utf8");

/** The control: a verifier that only trusts the end of the file, to show that these changes can deceive. */
const believes = (text: string): boolean =>
  text.startsWith('{"type":"header"') && /\n\{"type":"end"[^\n]*\n$/.test(text);

/** Every known change, and forty random ones per round. */
export function changedBundles(rounds: number, random: () => number): Mutation[] {
  const whole = MUTATIONS.filter(({ verdict, hasUnknownSigner }) => verdict === "intact" && !hasUnknownSigner);
  const altered = Array.from({ length: 40 * rounds }, (_, i) => alter(itemAt(whole, i), random));
  return [...MUTATIONS, ...altered];
}

export const changedEvidence: Line = {
  id: "C5",
  title: "changed evidence bundles, two verifiers",
  ...{ quick: 1, full: 20 },
  async run({ rounds, random }, found) {
    const all = changedBundles(rounds, random);
    for (const keys of [KEYS, []]) {
      const trust = trustIn({ keys });
      const python = judgedByPython(all.map((one) => ({ text: bytesOf(one), keys })));
      for (const [i, one] of all.entries()) {
        const { status } = await verifyBundle([bytesOf(one)], noteTools, { trust });
        const isGoodAlone = isGood(status) && (keys.length === 0 || !isGood(one.verdict));
        found.check(python[i]?.[0] === PYTHON_WORD[status], `${one.name}: ${status}, in Python ${python[i]?.[0]}`);
        found.check(!isGoodAlone, `${one.name}: ${status}`);
      }
    }
    found.note(`${all.length} bundles, each with a key and without, twice`);
    const fooled = all.filter(({ text, verdict }) => !isGood(verdict) && believes(text)).length;
    found.control("a verifier that trusts the end, fooled by 50 changes at least", Math.min(fooled, 50), 50);
  },
};
