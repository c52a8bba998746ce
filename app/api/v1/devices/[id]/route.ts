import { getDevice } from "@/server/devices/get";
import { deviceDetail, deviceIdInput } from "@/server/devices/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Get one device",
  auth: "user",
  permission: "devices:read",
  input: deviceIdInput,
  output: deviceDetail,
  run: getDevice,
});
