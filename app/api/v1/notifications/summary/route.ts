import { route } from "@/server/doors/http/route";
import { getSummary } from "@/server/notify/notifications/list";

export const GET = route(getSummary, { summary: "How many notifications are unread, and how many open", auth: "user" });
