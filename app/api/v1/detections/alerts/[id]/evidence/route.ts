import { getAlertEvidence } from "@/server/detections/evidence";
import { route } from "@/server/doors/http/route";

export const GET = route(getAlertEvidence, {
  summary: "The entries of an alert, each as a .tlog-proof file, in a ZIP archive: no other entry is in it.",
  auth: "user",
  produces: ["application/zip"],
  errors: ["conflict", "unavailable"],
});
