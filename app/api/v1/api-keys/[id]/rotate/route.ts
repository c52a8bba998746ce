import { route } from "@/server/doors/http/route";
import { rotateApiKey } from "@/server/identity/api-keys/api-keys";

export const POST = route(rotateApiKey, {
  summary:
    "Rotate an API key's secret; the new one is shown once, in this response, and the previous one keeps working for the chosen overlap",
  auth: "user",
  body: "optional",
  idempotent: true,
});
