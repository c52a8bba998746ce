import type { Outputs } from "@/components/trpc";
import { isHeadAlarm } from "@/server/audit/vocabulary";

type Chain = Pick<Outputs["integrity"]["status"], "head" | "alarm">;

/** There is an alarm, and the chain's length is unknown because its head is missing. */
export const isHeadLost = ({ head, alarm }: Chain): boolean => head === null && alarm !== null;

/** The head or the end is all that was found broken, whichever check found it: it can be repaired. */
export const isHeadAlone = ({ head, alarm }: Chain): boolean =>
  alarm !== null && isHeadAlarm(head === null ? { ...alarm, source: "head" } : alarm);
