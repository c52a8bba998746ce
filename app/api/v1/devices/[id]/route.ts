import { getDevice } from "@/server/devices/devices";
import { route } from "@/server/doors/http/route";

export const GET = route(getDevice, { summary: "Get one device", auth: "user" });
