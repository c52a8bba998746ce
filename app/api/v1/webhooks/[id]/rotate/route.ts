import { route } from "@/server/http/route";
import { rotateWebhook } from "@/server/webhooks/rotate";

export const POST = route(rotateWebhook, {
  summary: "Give an endpoint a new signing secret, shown once in this answer; for the chosen overlap both sign",
  auth: "user",
  body: "optional",
  idempotent: true,
});
