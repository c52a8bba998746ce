import { getAlert, updateAlert } from "@/server/detections/alerts";
import { route } from "@/server/doors/http/route";

export const GET = route(getAlert, {
  summary: "An alert with its entries and its actor's last day",
  auth: "user",
});

export const PATCH = route(updateAlert, {
  summary: "Acknowledge, close, reopen or assign an alert",
  auth: "user",
});
