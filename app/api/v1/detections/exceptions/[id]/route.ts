import { removeException } from "@/server/detections/exceptions";
import { route } from "@/server/doors/http/route";

export const DELETE = route(removeException, { summary: "Delete an exception to a detection rule", auth: "user" });
