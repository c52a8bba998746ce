import { listDevices } from "@/server/devices/list";
import { devicePage, listInput } from "@/server/devices/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "List devices",
  auth: "user",
  permission: "devices:read",
  input: listInput,
  output: devicePage,
  run: listDevices,
});
