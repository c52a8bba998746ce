import { route } from "@/server/doors/http/route";
import { addPasskey } from "@/server/identity/me/two-factor/two-factor";

export const POST = route(addPasskey, { summary: "Store a passkey that the browser has created", auth: "user" });
