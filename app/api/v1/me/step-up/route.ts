import { route } from "@/server/doors/http/route";
import { stepUp } from "@/server/identity/me/step-up";

export const POST = route(stepUp, {
  summary: "Confirm the caller's identity, by password or second factor, for the next ten minutes",
  auth: "user",
});
