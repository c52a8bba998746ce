import { route } from "@/server/doors/http/route";
import { testWebhook } from "@/server/notify/deliveries/deliveries";

export const POST = route(testWebhook, {
  summary: "Send a test message to an endpoint; the delivery log shows its outcome",
  auth: "user",
  body: "none",
});
