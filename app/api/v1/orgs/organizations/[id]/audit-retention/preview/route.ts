import { route } from "@/server/http/route";
import { previewPruning } from "@/server/retention/preview";
import { preview, previewInput } from "@/server/retention/schema";

export const GET = route({
  summary: "What the next pruning run would remove if so many days were kept",
  auth: "user",
  permission: "audit:read",
  input: previewInput,
  output: preview,
  run: previewPruning,
});
