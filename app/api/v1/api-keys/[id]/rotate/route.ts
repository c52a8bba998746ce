import { rotateApiKey } from "@/server/api-keys/rotate";
import { route } from "@/server/http/route";

export const POST = route(rotateApiKey, {
  summary: "Give an API key a new secret, shown once in this answer; the former works on for the chosen overlap",
  auth: "user",
  body: "optional",
  idempotent: true,
});
