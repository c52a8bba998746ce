import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { authOptions } from "@/server/auth/next-auth";
import { systemCtx } from "@/server/context";
import { problemResponse } from "@/server/http/problem";
import { originOf } from "@/server/trpc/context";

export const dynamic = "force-dynamic";

async function handler(request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  const ctx = { ...systemCtx(), ...originOf(request) };
  const refused: unknown[] = [];
  const options = authOptions(ctx, (error) => refused.push(error));
  const response: Response = await NextAuth(request, context, options);
  return refused.length > 0 ? problemResponse(refused[0], ctx.requestId) : response;
}

export { handler as GET, handler as POST };
