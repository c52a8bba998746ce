import { getDeviceLogPolicy } from "@/server/device-logs/get";
import { setDeviceLogPolicy } from "@/server/device-logs/set";
import { route } from "@/server/http/route";

export const GET = route(getDeviceLogPolicy, {
  summary: "How long an organization's diagnostic logs and device events are kept, and how much there is",
  auth: "user",
});

export const PUT = route(setDeviceLogPolicy, {
  summary: "Set how long an organization's diagnostic logs and device events are kept",
  auth: "user",
});
