import { callerChanges, watchCallers } from "./streams";

/** Interval for checking callers without a notice, which may be lost between processes. */
export const CALLER_CHECK_MS = 15_000;

/** since: callerChanges() when the caller was admitted. */
type Watched = { since: number; isStillAllowed: () => Promise<boolean> };

/**
 * Wraps a streamed answer that ends once its caller loses access: checked whenever a user's access changes, and every
 * CALLER_CHECK_MS. The answer then lacks its proper end, so no client takes it for complete.
 */
export function revocable(response: Response, { since, isStillAllowed }: Watched): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  let unwatch = () => {};
  const end = (why: unknown): Promise<void> => {
    unwatch();
    return reader.cancel(why);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const look = async () => {
          if (await isStillAllowed()) return;
          const why = new Error("The caller's access has ended.");
          controller.error(why);
          await end(why).catch(() => {});
        };
        let isLooking = false;
        // One at a time, so that a silent database is not flooded.
        const lookUnasked = async () => {
          if (isLooking) return;
          isLooking = true;
          await look().finally(() => {
            isLooking = false;
          });
        };
        const leave = watchCallers(look);
        const timer = setInterval(lookUnasked, CALLER_CHECK_MS).unref();
        unwatch = () => {
          leave();
          clearInterval(timer);
        };
        if (callerChanges() !== since) void look();
      },
      async pull(controller) {
        const { value, done } = await reader.read().catch((error: unknown) => {
          unwatch();
          throw error;
        });
        if (!done) return controller.enqueue(value);
        unwatch();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}
