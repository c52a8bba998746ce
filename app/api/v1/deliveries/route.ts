import { route } from "@/server/doors/http/route";
import { listDeliveries } from "@/server/notify/deliveries/deliveries";

export const GET = route(listDeliveries, {
  summary: "The delivery log: messages to the caller's endpoints, and mails to the caller, newest first",
  auth: "user",
});
