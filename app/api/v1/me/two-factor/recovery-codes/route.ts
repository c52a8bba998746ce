import { route } from "@/server/doors/http/route";
import { renewRecoveryCodes } from "@/server/identity/me/two-factor/two-factor";

export const POST = route(renewRecoveryCodes, {
  summary: "New recovery codes, shown once; earlier ones stop working",
  auth: "user",
  body: "none",
  errors: ["step_up_required"],
});
