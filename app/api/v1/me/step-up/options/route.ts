import { route } from "@/server/http/route";
import { beginStepUp } from "@/server/me/step-up";

export const POST = route(beginStepUp, {
  summary: "What the caller can confirm who they are with",
  auth: "user",
  body: "none",
});
