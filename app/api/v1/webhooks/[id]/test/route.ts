import { route } from "@/server/doors/http/route";
import { testWebhook } from "@/server/notify/deliveries/send-test";

export const POST = route(testWebhook, {
  summary: "Send a test message to an endpoint; the delivery log shows its outcome",
  auth: "user",
  body: "none",
});
