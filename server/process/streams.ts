const open = new Set<() => void>();

/** Registers an answer that stays open (agents' command streams, live tail), so that shutdown can end it. */
export function trackStream(close: () => void): () => void {
  open.add(close);
  return () => open.delete(close);
}

export const openStreams = (): number => open.size;

/** Ends every open stream; their clients reconnect elsewhere. */
export function closeStreams(): void {
  for (const close of [...open]) close();
}
