import { callerChanges, watchCallers } from "./streams";

/** So often a caller is looked up unasked: that of a change at another process is lost where no notice of it arrives. */
export const CALLER_CHECK_MS = 15_000;

/** since: callerChanges() when the caller was let in. */
type Watched = { since: number; isStillAllowed: () => Promise<boolean> };

/**
 * A streamed answer that breaks off once its caller may not have it any more: checked whenever a user's access has changed,
 * and every CALLER_CHECK_MS. What was sent until then is an answer without its end, which no client takes for whole.
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
        // One at a time: a database that is silent is not asked more and more.
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
