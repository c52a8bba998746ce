import { counted } from "@/components/format/amounts";
import { MAX_BREAKS } from "@/server/evidence/chain/verifier";

/** "1 place", "3 places": how many breaks a verdict lists. A full list may lack others, so it counts them as "at least". */
export function placesText(breaks: readonly unknown[]): string {
  const n = counted(breaks.length, "place");
  return breaks.length < MAX_BREAKS ? n : `at least ${n}, of which the first ${breaks.length} are listed`;
}
