import { route } from "@/server/doors/http/route";
import { createWebhook, listWebhooks } from "@/server/notify/webhooks/webhooks";

export const GET = route(listWebhooks, {
  summary: "The webhook endpoints that the caller administers, newest first",
  auth: "user",
});

export const POST = route(createWebhook, {
  summary: "Add an endpoint that notifications are posted to; its signing secret is shown once, in this response",
  auth: "user",
  status: 201,
});
