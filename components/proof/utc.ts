import { dateTime } from "@/components/format/time";

/** "20 Nov 2026, 14:02:31 UTC": proofs are read in different time zones. */
export const utc = (when: Date | string): string => `${dateTime(when, "UTC")} UTC`;
