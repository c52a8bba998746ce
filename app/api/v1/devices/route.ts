import { listDevices } from "@/server/devices/devices";
import { route } from "@/server/doors/http/route";

export const GET = route(listDevices, { summary: "List devices", auth: "user" });
