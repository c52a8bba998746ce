import { route } from "@/server/doors/http/route";
import { getPolicy, setPolicy } from "@/server/retention/policy";

export const GET = route(getPolicy, { summary: "How long an organization's audit entries are kept", auth: "user" });

export const PUT = route(setPolicy, { summary: "Set how long an organization's audit entries are kept", auth: "user" });
