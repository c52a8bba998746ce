import { listAlerts } from "@/server/detections/alerts";
import { route } from "@/server/doors/http/route";

export const GET = route(listAlerts, { summary: "Alerts of the caller's organizations, newest first", auth: "user" });
