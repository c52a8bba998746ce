import { getDeviceLogPolicy, setDeviceLogPolicy } from "@/server/devices/logs/policy";
import { route } from "@/server/doors/http/route";

export const GET = route(getDeviceLogPolicy, {
  summary: "How long an organization's diagnostic logs and device events are kept, and how much there is",
  auth: "user",
});

export const PUT = route(setDeviceLogPolicy, {
  summary: "Set how long an organization's diagnostic logs and device events are kept",
  auth: "user",
});
