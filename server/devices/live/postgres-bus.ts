import { appSql } from "@/db/client";
import { connectApp, directUrl } from "@/db/connect";
import { type Bus, isNews } from "./bus";

/** One channel a process; a word of under 10 bytes where PostgreSQL takes 8,000. */
const channelOf = (processId: string): string => `trailmark_live_${processId.replaceAll("-", "")}`;

const TO_ALL = "trailmark_live_all";

/**
 * LISTEN and NOTIFY. Listening needs a connection that stays, hence a separate one beside the pool; it comes back by
 * itself. Through a transaction pooler LISTEN hears nothing, hence the direct address.
 */
export function createPostgresBus(): Bus {
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
