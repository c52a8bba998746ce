import { rotateApiKey } from "@/server/api-keys/rotate";
import { route } from "@/server/http/route";

export const POST = route(rotateApiKey, {
  summary:
    "Rotate an API key's secret; the new one is shown once, in this response, and the previous one keeps working for the chosen overlap",
  auth: "user",
  body: "optional",
  idempotent: true,
});
