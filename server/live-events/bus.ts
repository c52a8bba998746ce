/** What a process is told to look at; the table says the rest, so a word that got lost costs time and nothing else. */
const NEWS = ["commands", "answers", "streams", "callers"] as const;
export type News = (typeof NEWS)[number];

/** Carries one word from process to process. */
export type Bus = {
  /** Starts listening. onNews: somebody told us; onAgain: words may have been missed while we were not listening. */
  listen(processId: string, onNews: (news: News) => void, onAgain: () => void): Promise<void>;
  notify(processId: string, news: News): Promise<void>;
  /** Tells every process, this one too. */
  notifyAll(news: News): Promise<void>;
  close(): Promise<void>;
};

export const isNews = (text: string): text is News => NEWS.some((news) => news === text);
