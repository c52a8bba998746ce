import { route } from "@/server/doors/http/route";
import { beginTotp, removeTotp } from "@/server/identity/me/two-factor/two-factor";

export const POST = route(beginTotp, {
  summary: "A secret for an authenticator app; it takes effect once confirmed",
  auth: "user",
  body: "none",
  errors: ["step_up_required"],
});

export const DELETE = route(removeTotp, {
  summary: "Turn off the caller's authenticator app",
  auth: "user",
  errors: ["step_up_required"],
});
