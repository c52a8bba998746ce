import { route } from "@/server/doors/http/route";
import { resendDelivery } from "@/server/notify/deliveries/deliveries";

export const POST = route(resendDelivery, { summary: "Send a message once more, now", auth: "user", body: "none" });
