import { getApiDocument } from "@/server/doors/http/openapi";
import { route } from "@/server/doors/http/route";

export const GET = route(getApiDocument, {
  summary: "This document: every REST endpoint in OpenAPI 3.1",
  auth: "none",
});
