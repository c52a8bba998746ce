import { listAround } from "@/server/devices/timeline/around";
import { route } from "@/server/doors/http/route";

export const GET = route(listAround, {
  summary: "What happened around an entry: by its actor, in its session, from its address, on its device, in all logs",
  auth: "user",
});
