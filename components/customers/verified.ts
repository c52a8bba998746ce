import { count, counted } from "@/components/format/amounts";
import type { Outputs } from "@/components/trpc";
import { CHAIN_LABEL } from "./chain-tag";

type Status = Outputs["integrity"]["verify"]["status"];
/** What came of the verification of an organization's chain; failed: there was no verdict. */
export type Verified = { orgId: string; name: string } & (
  | { status: Status; message?: undefined }
  | { status: "failed"; message: string }
);

const STATUS_ORDER = ["intact", "broken", "unproven", "empty"] as const;

/** Those with a verdict; the others are asked again. */
export const withVerdict = (found: readonly Verified[]): Verified[] =>
  found.filter(({ status }) => status !== "failed");

/** "12 intact, 1 broken, 1 could not be verified"; before all were asked "12 of 14 organizations verified". */
export function verifiedText(found: readonly Verified[], total: number, isRunning: boolean): string {
  const done = withVerdict(found);
  const failed = found.length - done.length;
  const parts = STATUS_ORDER.map(
    (word) => [found.filter(({ status }) => status === word).length, CHAIN_LABEL[word]] as const,
  );
  const isWhole = found.length === total;
  return [
    ...(isWhole ? parts.filter(([n]) => n > 0).map(([n, word]) => `${count(n)} ${word.toLowerCase()}`) : []),
    ...(isWhole ? [] : [`${count(done.length)} of ${counted(total, "organization")} verified`]),
    ...(failed > 0 ? [`${count(failed)} could not be verified`] : []),
    ...(isWhole || isRunning ? [] : ["stopped"]),
  ].join(", ");
}
