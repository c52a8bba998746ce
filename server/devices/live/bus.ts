import { appSql } from "@/db/client";
import { connectApp, directUrl } from "@/db/connect";

/**
 * Notifications between processes. The tables are authoritative, so a lost one only costs time: commands and answers
 * are polled, streams checked at each beat, and callers of open answers every CALLER_CHECK_MS.
 */
const NEWS = ["commands", "answers", "streams", "callers"] as const;
export type News = (typeof NEWS)[number];

/** Carries notifications between processes. */
export type Bus = {
  /** Starts listening. onNews: a message arrived; onAgain: some may have been missed without a listener. */
  listen(processId: string, onNews: (news: News) => void, onAgain: () => void): Promise<void>;
  notify(processId: string, news: News): Promise<void>;
  /** Notifies every process, including this one. */
  notifyAll(news: News): Promise<void>;
  close(): Promise<void>;
};

const isNews = (text: string): text is News => NEWS.some((news) => news === text);

/** One channel per process. */
const channelOf = (processId: string): string => `trailmark_live_${processId.replaceAll("-", "")}`;

const TO_ALL = "trailmark_live_all";

/**
 * LISTEN and NOTIFY. Listening needs its own session, and so a connection that bypasses poolers; it reconnects by
 * itself.
 */
export function createBus(): Bus {
  const listener = connectApp({ name: "trailmark-live", max: 1, url: directUrl() });
  return {
    async listen(processId, onNews, onAgain) {
      const hear = (text: string) => isNews(text) && onNews(text);
      await Promise.all([listener.listen(channelOf(processId), hear, onAgain), listener.listen(TO_ALL, hear)]);
    },
    async notify(processId, news) {
      await appSql()`SELECT pg_notify(${channelOf(processId)}, ${news})`;
    },
    async notifyAll(news) {
      await appSql()`SELECT pg_notify(${TO_ALL}, ${news})`;
    },
    close: () => listener.end({ timeout: 1 }),
  };
}
