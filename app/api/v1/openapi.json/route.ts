import { download } from "@/server/doors/http/download";
import { apiDocument, getApiDocument } from "@/server/doors/http/openapi";
import { described } from "@/server/doors/http/route";

export const GET = described(
  { ...getApiDocument, summary: "This document: every REST endpoint in OpenAPI 3.1", auth: "none" },
  download(apiDocument, getApiDocument.input),
);
