import { refuseAnswer, settleCommand } from "@/server/devices/live/agent-channel";
import { type RouteHandler, route } from "@/server/doors/http/route";

const settle = route(settleCommand, {
  summary: "Submit the result of a command",
  auth: "agent",
  errors: ["invalid_answer"],
});

/**
 * Statuses of an unusable body. The agent is identified by then, so the pending query fails now instead of timing out.
 */
const UNUSABLE = new Set([400, 413, 415]);

const handler = async (...[request, context]: Parameters<RouteHandler>): Promise<Response> => {
  const response = await settle(request, context);
  const { id, commandId } = (await context?.params) ?? {};
  if (UNUSABLE.has(response.status) && typeof id === "string" && typeof commandId === "string")
    await refuseAnswer(id, commandId, response.status);
  return response;
};

export const POST: RouteHandler = Object.assign(handler, { spec: settle.spec });
