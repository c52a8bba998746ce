import { setDeviceValues } from "@/server/custom-fields/set-values";
import { route } from "@/server/doors/http/route";

export const PATCH = route(setDeviceValues, {
  summary: "Set custom field values of a device by field key; null clears one.",
  auth: "user",
});
