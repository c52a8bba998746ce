import { route } from "@/server/doors/http/route";
import { getWebhook, removeWebhook, updateWebhook } from "@/server/notify/webhooks/webhooks";

export const GET = route(getWebhook, { summary: "One endpoint", auth: "user" });

export const PATCH = route(updateWebhook, {
  summary: "Change an endpoint's name, address or kinds; disable or enable it",
  auth: "user",
});

export const DELETE = route(removeWebhook, { summary: "Delete an endpoint with its delivery log", auth: "user" });
