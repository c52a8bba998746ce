import { route } from "@/server/http/route";
import { addPasskey } from "@/server/me/two-factor/passkeys";

export const POST = route(addPasskey, { summary: "Keep a passkey that the browser has made", auth: "user" });
