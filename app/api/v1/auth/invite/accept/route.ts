import { route } from "@/server/doors/http/route";
import { acceptInvite } from "@/server/identity/auth/links/password-link";

export const POST = route(acceptInvite, { summary: "Choose a password with the token of an invitation", auth: "none" });
