import { route } from "@/server/http/route";
import { getMe } from "@/server/me/get";
import { me, meInput } from "@/server/me/schema";

export const GET = route({
  summary: "The caller, its organizations and its permissions",
  auth: "user",
  input: meInput,
  output: me,
  run: getMe,
});
