import { uploadInput, uploadOutput } from "@/server/custom-fields/import/schema";
import { uploadPart } from "@/server/custom-fields/import/upload";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "Store one part of a file of a custom field import; the body is the bytes as they are.",
  auth: "user",
  permission: "custom_fields:import",
  body: "stream",
  consumes: "application/octet-stream",
  errors: ["not_found", "conflict", "payload_too_large"],
  input: uploadInput,
  output: uploadOutput,
  run: uploadPart,
});
