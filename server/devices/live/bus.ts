/**
 * What a process is notified of; the table says the rest, so a lost message costs time and nothing else: commands and
 * answers are polled, streams looked up at each beat, and the callers of open answers every CALLER_CHECK_MS.
 */
const NEWS = ["commands", "answers", "streams", "callers"] as const;
export type News = (typeof NEWS)[number];

/** Carries notifications from process to process. */
export type Bus = {
  /** Starts listening. onNews: a message came; onAgain: some may have been missed while there was no listener. */
  listen(processId: string, onNews: (news: News) => void, onAgain: () => void): Promise<void>;
  notify(processId: string, news: News): Promise<void>;
  /** Notifies every process, this one too. */
  notifyAll(news: News): Promise<void>;
  close(): Promise<void>;
};

/** Whether a message is one that this version sends. */
export const isNews = (text: string): text is News => NEWS.some((news) => news === text);
