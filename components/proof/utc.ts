import { dateTime } from "@/components/format/time";

/** "20 Nov 2026, 14:02:31 UTC": a proof is read in more than one zone. */
export const utc = (when: Date | string): string => `${dateTime(when, "UTC")} UTC`;
