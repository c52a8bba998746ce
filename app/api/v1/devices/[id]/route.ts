import { getDevice } from "@/server/devices/get";
import { route } from "@/server/doors/http/route";

export const GET = route(getDevice, { summary: "Get one device", auth: "user" });
