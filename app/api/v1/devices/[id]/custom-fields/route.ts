import { deviceValues, setValuesInput } from "@/server/custom-fields/schema";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import { route } from "@/server/http/route";

export const PATCH = route({
  summary: "Set custom field values of a device by field key; null clears one.",
  auth: "user",
  permission: "custom_fields:manage",
  input: setValuesInput,
  output: deviceValues,
  run: setDeviceValues,
});
