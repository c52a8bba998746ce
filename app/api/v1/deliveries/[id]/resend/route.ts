import { resendDelivery } from "@/server/deliveries/resend";
import { route } from "@/server/http/route";

export const POST = route(resendDelivery, { summary: "Send a message once more, now", auth: "user", body: "none" });
