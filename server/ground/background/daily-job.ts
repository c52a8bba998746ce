/** Work that one process among many does once a day: server/run/process/daily-jobs.ts has it done. */
export type DailyJob = {
  /** A queue that the migration has made. */
  name: "retention" | "verification";
  /** When, in UTC. */
  cron: string;
  /** Rejects when it could not be done; it is tried again ten minutes later, twice. */
  run: (signal: AbortSignal) => Promise<void>;
  /** When any process last did it, to catch up after a night on which none ran. */
  lastRanAt: () => Promise<Date | null>;
};
