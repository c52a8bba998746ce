import { listSystemLibrary } from "@/server/devices/scripts/list-system-library";
import { route } from "@/server/doors/http/route";

export const GET = route(listSystemLibrary, { summary: "The system script library", auth: "user" });
