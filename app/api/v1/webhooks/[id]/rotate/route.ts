import { route } from "@/server/doors/http/route";
import { rotateWebhook } from "@/server/notify/webhooks/webhooks";

export const POST = route(rotateWebhook, {
  summary:
    "Rotate an endpoint's signing secret; the new one is shown once, in this response, and messages are signed with both for the chosen overlap",
  auth: "user",
  body: "optional",
  idempotent: true,
});
