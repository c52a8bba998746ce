import { ACTIONS } from "@/server/audit/actions";
import { choicesOf } from "@/server/audit/query/values";

/** Common stem of a word's forms: "delet" of delete, deleted, deleting and deletions. */
function stemOf(word: string): string {
  const singular = word.toLowerCase().replace(/(?<![su]s?|i)s$/, "");
  const stem = singular
    .replace(/(?<=..[^aeiou]?)(?:ies?|ied|y)$/, "i")
    .replace(/(?<=...)(?:ions?|ings?|ed|als?|e|ment)$/, "");
  return stem.replace(/([^aeiou])\1$/, "$1");
}

/** Search terms (one suffices), and people's words for them in any form. */
const SYNONYMS: readonly (readonly [searched: string, typed: string])[] = [
  ["delete|remove", "delete removal erase wipe purge"],
  ["create|added|.add", "create add new"],
  ["update|change|edited|modified", "update change edit modify alter alteration modification"],
  ['disable|"turn off"|"turned off"', "disable off deactivate deactivation"],
  ['enable|"turn on"|"turned on"', "enable activate activation"],
  ['login|logon|"sign in"', "login logon signin sign-in log-in"],
  ['logout|logoff|"sign out"|"signed out"', "logout logoff signout sign-out"],
  ['execute|script.run|"ran "', "execute run ran"],
  ["antivirus|anti-virus", "av antivirus anti-virus"],
  ['"second factor"|two_factor|two-factor|mfa|2fa', "2fa mfa two-factor"],
  ["permission|role", "permission privilege role"],
  ["invite|invitation", "invite invitation"],
  ["enroll|join|registered", "enroll enrol enrolment enrollment join register registration"],
  ["reboot|restart", "reboot restart"],
  ["organization|customer", "organization organisation customer client tenant company"],
  ["device|computer|machine", "computer machine laptop workstation pc"],
  ["revoke|revocation", "revoke revocation"],
  ["verify|verification", "verify verification"],
  ["policy|policies", "policy"],
];

/** Multi-word synonyms. */
const PHRASES: readonly (readonly [typed: RegExp, searched: string])[] = [
  [/signed[ -](?:in|on)|logged[ -](?:in|on)/, '"signed in"|"logged in"|"logged on"'],
  [/(?:sign|log)(?:s|ing|ging)?[ -](?:ins?|ons?)/, '"sign in"|login|logon'],
  [/(?:sign|log)(?:ed|ged|s|ing|ging)?[ -](?:outs?|offs?)/, 'logout|"sign out"|"signed out"'],
  [/(?:turn|switch|shut)(?:ed|es|s|ing)?(?: it)? off/, 'disable|"turn off"|"turned off"'],
  [/(?:turn|switch)(?:ed|es|s|ing)?(?: it)? (?:back )?on/, 'enable|"turn on"|"turned on"'],
  [
    /(?:two|2)[ -]?factor(?: auth(?:entication)?)?|second factors?|multi[ -]?factor(?: auth(?:entication)?)?/,
    '"second factor"|two_factor|mfa',
  ],
  [/api[ -]keys?/, '"api key"|api_key'],
  [/virus (?:scanners?|protection)|anti virus/, "antivirus|anti-virus"],
];
const WHOLE = PHRASES.map(
  ([typed, searched]) => [new RegExp(`(?<=^| )(?:${typed.source})(?= |$)`, "gi"), searched] as const,
);

/** Singular of a plural, if it is a substring. */
const singularOf = (word: string): string =>
  /^[a-z]{4,}s$/i.test(word) ? word.replace(/(?<=(?:s|x|z|ch|sh))es$|(?<![siu])s$/i, "") : word;

/** Search term by the stem of a typed word. Words of the log's sentences stand for all of their forms. */
const BY_STEM: ReadonlyMap<string, string> = new Map([
  ...Object.values(ACTIONS).flatMap(({ does }) =>
    (does.match(/(?<=^| )[a-z]{5,}(?= |$)/g) ?? []).map((word) => [stemOf(word), singularOf(word)] as const),
  ),
  ...SYNONYMS.flatMap(([searched, typed]) => typed.split(" ").map((word) => [stemOf(word), searched] as const)),
]);

/** Words understood in lines, as people type them. */
export const VOCABULARY: readonly string[] = [
  ...Object.values(ACTIONS).flatMap(({ does }) => does.match(/[a-z]{5,}/g) ?? []),
  ...SYNONYMS.flatMap(([, typed]) => typed.split(" ")),
];

/** True for words of the log's sentences and their synonyms. */
export const isLogWord = (word: string): boolean => BY_STEM.has(stemOf(word));

/** Search term for a word: its name in the log, or itself. */
export function termFor(word: string): string {
  const searched = /^[a-z0-9-]+$/i.test(word) ? BY_STEM.get(stemOf(word)) : undefined;
  if (!searched) return singularOf(word.replace(/(?<=s)'$|'s$/, ""));
  const isCovered = choicesOf(searched).some((one) => word.toLowerCase().includes(one.trim()));
  return isCovered || word.length < 5 ? searched : `${searched}|${singularOf(word).toLowerCase()}`;
}

/** Replaces phrases such as "logged in" and "turned off" by their search terms. */
export const withPhraseTerms = (line: string): string =>
  WHOLE.reduce((text, [typed, searched]) => text.replace(typed, searched), line);
