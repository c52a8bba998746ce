import { draftRule } from "@/server/detections/rules";
import { route } from "@/server/doors/http/route";

export const POST = route(draftRule, {
  summary: "The text of a detection rule for a filter of the list, optionally with a threshold",
  auth: "user",
});
