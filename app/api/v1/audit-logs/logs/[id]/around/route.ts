import { route } from "@/server/http/route";
import { listAround } from "@/server/timeline/around";

export const GET = route(listAround, {
  summary: "What happened around an entry: by its actor, in its session, from its address, on its device, in all logs",
  auth: "user",
});
