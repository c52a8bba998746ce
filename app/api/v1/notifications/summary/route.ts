import { route } from "@/server/http/route";
import { getSummary } from "@/server/notifications/list";

export const GET = route(getSummary, { summary: "How many notifications are unread, and how many open", auth: "user" });
