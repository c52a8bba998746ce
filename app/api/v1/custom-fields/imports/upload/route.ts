import { uploadPart } from "@/server/custom-fields/import/upload";
import { route } from "@/server/doors/http/route";

export const POST = route(uploadPart, {
  summary: "Store one part of a file of a custom field import; the body is the bytes as they are.",
  auth: "user",
  body: "stream",
  consumes: "application/octet-stream",
  errors: ["not_found", "conflict", "payload_too_large"],
});
