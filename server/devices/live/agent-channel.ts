import { agentCaller } from "@/server/devices/agent-caller";
import { trackStream } from "@/server/ground/background/streams";
import { AppError, type FieldError, notFound } from "@/server/ground/errors";
import { isUuid } from "@/server/ground/ids";
import { log } from "@/server/ground/log";
import { operation } from "@/server/ground/operation";
import { issuesIn } from "./parse-answer";
import { relay } from "./relay";
import { BAD_ANSWER, resultInput, STREAM_COMMENT_MS, streamInput } from "./schema";
import { readCommand } from "./store";

const encoder = new TextEncoder();

/** Event stream of one agent; onGone is called once when it disconnects. */
function eventStream(onGone: () => void) {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let open = true;
  const leave = () => {
    if (!open) return;
    open = false;
    clearInterval(timer);
    untrack();
    onGone();
  };
  const write = (text: string) => {
    if (open) controller.enqueue(encoder.encode(text));
  };
  const end = () => {
    if (!open) return;
    leave();
    controller.close();
  };
  const untrack = trackStream(end);
  const timer = setInterval(() => write(": still here\n\n"), STREAM_COMMENT_MS);
  timer.unref();
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: leave,
  });
  return {
    body,
    leave,
    isOpen: () => open,
    peer: { end, send: (data: string) => write(`event: command\ndata: ${data}\n\n`) },
    write,
  };
}

/**
 * The agent's command stream (Server-Sent Events): a `command` event per query, a comment line every 15 s. When this
 * resolves, the agent counts as connected and its older stream has ended.
 */
export const openStream = operation({
  input: streamInput,
  output: "stream",
  async run(ctx) {
    const { id: agentId, deviceId, orgId } = agentCaller(ctx);
    let onGone = () => {};
    const stream = eventStream(() => onGone());
    try {
      onGone = await relay().open({ agentId, deviceId, orgId }, stream.peer);
    } catch (error) {
      stream.leave();
      throw error;
    }
    ctx.signal?.addEventListener("abort", stream.leave, { once: true });
    if (ctx.signal?.aborted) stream.leave();
    if (!stream.isOpen()) onGone(); // It ended while being registered.
    stream.write(": connected\n\n");
    return new Response(stream.body, {
      headers: {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-store, no-transform",
        "X-Accel-Buffering": "no",
      },
    });
  },
});

/**
 * Takes an agent's answer to a command. A malformed one fails the query, and the agent is told the fault.
 * @throws AppError not_found when no requester waits for it (late, repeated, unknown, another agent's): nothing
 * changes. invalid_answer for a malformed one
 */
export const settleCommand = operation({
  input: resultInput,
  output: "empty",
  async run(ctx, input) {
    const { id: agentId } = agentCaller(ctx);
    const { ok, data, commandId, error = { code: "", message: "" } } = input;
    const command = ok && isUuid(commandId) ? await readCommand(agentId, commandId) : null;
    const errors = command ? issuesIn(command, data) : [];
    if (errors.length > 0) return refuseForm(agentId, commandId, errors);
    const result = ok ? { ok, data } : { ok, error };
    if (!(await relay().settle(agentId, commandId, result))) throw notFound("command");
  },
});

async function refuseForm(agentId: string, commandId: string, errors: FieldError[]): Promise<never> {
  const error = { code: BAD_ANSWER, message: "", errors };
  if (!(await relay().settle(agentId, commandId, { ok: false, error }))) throw notFound("command");
  log.warn({ agentId, commandId, errors }, "failed to parse agent response");
  throw new AppError("invalid_answer", `${errors[0]?.path}: ${errors[0]?.message}`, { errors });
}

/** Fails the query at once for an answer refused by the door (no JSON, too large, of another shape). */
export async function refuseAnswer(agentId: string, commandId: string, status: number): Promise<void> {
  const message = `The answer was refused with status ${status}.`;
  const isAwaited = await relay().settle(agentId, commandId, { ok: false, error: { code: BAD_ANSWER, message } });
  // Answers without a query are not logged, however often a device sends them.
  if (isAwaited) log.warn({ agentId, commandId, status }, "failed to parse agent response");
}
