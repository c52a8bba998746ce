import { route } from "@/server/http/route";
import { getPolicy } from "@/server/retention/get";
import { policy, setInput } from "@/server/retention/schema";
import { setPolicy } from "@/server/retention/set";
import { onlyIdInput } from "@/server/wire";

export const GET = route({
  summary: "How long an organization's audit rows are kept",
  auth: "user",
  permission: "audit:read",
  input: onlyIdInput,
  output: policy,
  run: getPolicy,
});

export const PUT = route({
  summary: "Set how long an organization's audit rows are kept",
  auth: "user",
  permission: "audit:manage",
  input: setInput,
  output: policy,
  run: setPolicy,
});
