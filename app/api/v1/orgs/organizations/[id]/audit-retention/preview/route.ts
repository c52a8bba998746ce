import { route } from "@/server/doors/http/route";
import { previewPruning } from "@/server/retention/policy";

export const GET = route(previewPruning, {
  summary: "What the next pruning run would remove if entries were kept for a given number of days",
  auth: "user",
});
