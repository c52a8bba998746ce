import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { authOptions } from "@/server/auth/next-auth";
import { systemCtx } from "@/server/context";
import { AppError } from "@/server/errors";
import { problemResponse } from "@/server/http/problem";
import { newRequestId } from "@/server/ids";
import { originOf } from "@/server/trpc/context";

export const dynamic = "force-dynamic";

/** next-auth knows no 429: it reports every refusal as 401 with our code in the address. */
function isRateLimited(body: string): boolean {
  return body.includes("error=rate_limited");
}

async function handler(request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  const requestId = newRequestId();
  const ctx = {
    ...systemCtx(),
    ...originOf(request),
    scope: { kind: "partner", orgIds: [], partnerId: "" } as const,
    requestId,
  };
  const response: Response = await NextAuth(request, context, authOptions(ctx));
  if (response.status !== 401 || !isRateLimited(await response.clone().text())) return response;
  const error = new AppError("rate_limited", "Too many attempts; try again later.", {
    headers: { "Retry-After": "900" },
  });
  return problemResponse(error, requestId);
}

export { handler as GET, handler as POST };
