import { z } from "zod";
import { env } from "@/server/env";
import { describeApi, listEndpoints } from "@/server/http/openapi";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "This document: every REST endpoint in OpenAPI 3.1.",
  auth: "none",
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  run: async () => describeApi(listEndpoints(), env().NEXTAUTH_URL),
});
