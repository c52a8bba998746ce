import { getApiDocument } from "@/server/http/openapi";
import { route } from "@/server/http/route";

export const GET = route(getApiDocument, {
  summary: "This document: every REST endpoint in OpenAPI 3.1",
  auth: "none",
});
