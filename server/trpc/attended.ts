/**
 * The same messages for a reader that asks for the next one before it looks at the answer. tRPC's ping does: it has asked
 * for another when a browser has still to take the last, and what is thrown until then would be an unhandled rejection.
 * The reader finds it when it looks, as before.
 */
export const attended = <T>(messages: AsyncGenerator<T>): AsyncIterableIterator<T, void> => ({
  [Symbol.asyncIterator]() {
    return this;
  },
  next() {
    const next = messages.next();
    next.catch(() => {});
    return next;
  },
  return: () => messages.return(undefined),
});
