import { callerChanges, watchCallers } from "./streams";

/** since: callerChanges() when the caller was let in. */
type Watched = { since: number; mayGoOn: () => Promise<boolean> };

/**
 * A streamed answer that breaks off once its caller may not have it any more: checked whenever a user's access has changed.
 * What was sent until then is an answer without its end, which no client takes for whole.
 */
export function cutOff(response: Response, { since, mayGoOn }: Watched): Response {
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
          if (await mayGoOn()) return;
          const why = new Error("The caller's access has ended.");
          controller.error(why);
          await end(why).catch(() => {});
        };
        unwatch = watchCallers(look);
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
