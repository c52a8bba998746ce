import { route } from "@/server/doors/http/route";
import { acceptInvite } from "@/server/identity/auth/links/accept-invite";

export const POST = route(acceptInvite, { summary: "Choose a password with the token of an invitation", auth: "none" });
