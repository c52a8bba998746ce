import { route } from "@/server/http/route";
import { listSystemLibrary } from "@/server/scripts/list-system-library";

export const GET = route(listSystemLibrary, { summary: "The system script library", auth: "user" });
