import { acceptInvite } from "@/server/auth/links/accept-invite";
import { route } from "@/server/http/route";

export const POST = route(acceptInvite, { summary: "Choose a password with the token of an invitation", auth: "none" });
