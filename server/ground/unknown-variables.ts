import { distance } from "fastest-levenshtein";
import { envSchema, SECRETS } from "./env";

/** Read by the build, the agent, the tests and the benches, not by the server. */
const ELSEWHERE = /^TRAILMARK_(COMMIT|AGENT_TOKEN|ENROLLMENT_KEY|E2E_\w+|FORMER_CHECKOUT)$/;
const OURS = /^TRAILMARK_/;
const KNOWN = [...Object.keys(envSchema.shape), ...SECRETS.map((name) => `${name}_FILE`)];
/** Short names have too many neighbours that other programs use. */
const MIN_LENGTH = 8;
const MAX_DISTANCE = 2;

/** The setting that was probably meant; null where none is close. */
function meant(name: string): string | null {
  if (name.length < MIN_LENGTH) return null;
  const near = KNOWN.map((known) => ({ known, far: distance(name, known) })).sort((a, b) => a.far - b.far)[0];
  return near && near.known.length >= MIN_LENGTH && near.far <= MAX_DISTANCE ? near.known : null;
}

/**
 * Variables that look like our settings and are none: they are not refused, for another version may know them.
 * @returns a sentence for each; names alone, never a value
 */
export function unknownVariables(source: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(source)
    .filter((name) => source[name] && !KNOWN.includes(name) && !ELSEWHERE.test(name))
    .flatMap((name) => {
      const instead = meant(name);
      if (instead) return [`${name} is not a setting; did you mean ${instead}?`];
      return OURS.test(name) ? [`${name} is not a setting of this version`] : [];
    })
    .sort();
}
