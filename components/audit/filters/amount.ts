import { count, counted } from "@/components/format/amounts";

type Amount = {
  /** Entries on the screen, including folded ones. */
  shown: number;
  /** null while counting. */
  total: number | null;
  /** True when the screen shows all entries, with none newer or older. */
  isWhole: boolean;
  hasOlder: boolean;
};

/**
 * "50 of 1,204 entries". The total comes from a separate request, so entries may have arrived between the two; when it
 * contradicts the page, only the page is counted.
 */
export function amountText({ shown, total, isWhole, hasOlder }: Amount): string {
  const all = counted(shown, "entry", "entries");
  if (isWhole) return all;
  if (total === null || total < shown || (total === shown && hasOlder)) return `${all} on this page`;
  return total === shown ? all : `${count(shown)} of ${count(total)} entries`;
}
