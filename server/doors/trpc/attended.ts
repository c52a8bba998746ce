/**
 * The same messages for a reader that requests the next one before the last one was taken, as tRPC's ping does. An
 * error thrown in between would be an unhandled rejection; here the reader gets it when it awaits the message.
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
