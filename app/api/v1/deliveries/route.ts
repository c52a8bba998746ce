import { listDeliveries } from "@/server/deliveries/list";
import { route } from "@/server/http/route";

export const GET = route(listDeliveries, {
  summary: "The delivery log: messages to the caller's endpoints, and mails to the caller, newest first",
  auth: "user",
});
