import { count, counted } from "@/components/format/amounts";

type Amount = {
  /** Entries on the screen, folded ones included. */
  shown: number;
  /** null while it is counted. */
  total: number | null;
  /** Nothing is newer or older than what is on the screen. */
  isWhole: boolean;
  hasOlder: boolean;
};

/**
 * How much of the total is shown. It is counted in its own request, before or after the page was read: where entries
 * came between the two, the page is what is believed.
 */
export function amountText({ shown, total, isWhole, hasOlder }: Amount): string {
  const all = counted(shown, "entry", "entries");
  if (isWhole) return all;
  if (total === null || total < shown || (total === shown && hasOlder)) return `${all} on this page`;
  return total === shown ? all : `${count(shown)} of ${count(total)} entries`;
}
