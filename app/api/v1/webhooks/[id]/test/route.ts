import { testWebhook } from "@/server/deliveries/send-test";
import { route } from "@/server/http/route";

export const POST = route(testWebhook, {
  summary: "Send a test message to an endpoint; the delivery log shows its outcome",
  auth: "user",
  body: "none",
});
