import { agentCaller } from "@/server/devices/agent-caller";
import { notFound } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import { operation } from "@/server/ground/operation";
import { relay } from "./relay";
import { resultInput } from "./schema";

/**
 * Takes an agent's answer to a command.
 * @throws AppError not_found when no requester waits for it (late, repeated, unknown, another agent's); it changes nothing.
 */
export const settleCommand = operation({
  input: resultInput,
  output: "empty",
  async run(ctx, input) {
    const { id: agentId } = agentCaller(ctx);
    const { ok, data, error = { code: "", message: "" } } = input;
    const result = ok ? { ok, data } : { ok, error };
    if (!(await relay().settle(agentId, input.commandId, result))) throw notFound("command");
  },
});

/** An answer that the door refused (no JSON, too large, of another shape) fails the query at once. */
export async function refuseAnswer(agentId: string, commandId: string, status: number): Promise<void> {
  const message = `The answer was refused with status ${status}.`;
  const isAwaited = await relay().settle(agentId, commandId, { ok: false, error: { code: "bad_answer", message } });
  // An answer without a query is no news, however often a device sends it.
  if (isAwaited) log.warn({ agentId, commandId, status }, "failed to parse agent response");
}
