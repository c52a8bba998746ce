import { distance } from "fastest-levenshtein";
import { envSchema, SECRETS } from "./env";

/** Read by the build, agent, tests and benches, not by the server. */
const ELSEWHERE = /^TRAILMARK_(COMMIT|AGENT_TOKEN|ENROLLMENT_KEY|E2E_\w+|FORMER_CHECKOUT)$/;
const OURS = /^TRAILMARK_/;
const KNOWN = [...Object.keys(envSchema.shape), ...SECRETS.map((name) => `${name}_FILE`)];
/** Short names are too similar to other programs' variables. */
const MIN_LENGTH = 8;
const MAX_DISTANCE = 2;

/** Setting that was probably meant; null if none is close. */
function meant(name: string): string | null {
  if (name.length < MIN_LENGTH) return null;
  const near = KNOWN.map((known) => ({ known, far: distance(name, known) })).sort((a, b) => a.far - b.far)[0];
  return near && near.known.length >= MIN_LENGTH && near.far <= MAX_DISTANCE ? near.known : null;
}

/**
 * Finds variables similar to our settings; not refused, because another version may know them.
 * @returns a sentence for each; names only, never values
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
