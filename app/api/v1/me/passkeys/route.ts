import { route } from "@/server/http/route";
import { addPasskey } from "@/server/me/two-factor/passkeys";

export const POST = route(addPasskey, { summary: "Store a passkey that the browser has created", auth: "user" });
