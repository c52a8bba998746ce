import { enrollAgent } from "@/server/agents/enroll";
import { enrollInput, enrollOutput } from "@/server/agents/schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "Enrol an agent with an enrollment key",
  auth: "none",
  input: enrollInput,
  output: enrollOutput,
  status: 201,
  run: enrollAgent,
});
