import { route } from "@/server/doors/http/route";
import { listOverview } from "@/server/organizations/overview/list";

export const GET = route(listOverview, {
  summary: "Chain, retention, growth, failures and devices of every organization that the caller can access",
  auth: "user",
});
