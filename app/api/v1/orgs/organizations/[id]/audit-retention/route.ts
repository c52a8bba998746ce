import { route } from "@/server/doors/http/route";
import { getPolicy } from "@/server/retention/get";
import { setPolicy } from "@/server/retention/set";

export const GET = route(getPolicy, { summary: "How long an organization's audit entries are kept", auth: "user" });

export const PUT = route(setPolicy, { summary: "Set how long an organization's audit entries are kept", auth: "user" });
