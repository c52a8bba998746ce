import { route } from "@/server/doors/http/route";
import { beginStepUp } from "@/server/identity/me/step-up";

export const POST = route(beginStepUp, {
  summary: "The ways in which the caller can confirm their identity",
  auth: "user",
  body: "none",
});
