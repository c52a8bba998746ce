import { route } from "@/server/http/route";
import { getPolicy } from "@/server/retention/get";
import { idInput, policy, setInput } from "@/server/retention/schema";
import { setPolicy } from "@/server/retention/set";

export const GET = route({
  summary: "How long an organization's audit rows are kept",
  auth: "user",
  permission: "audit:read",
  input: idInput,
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
