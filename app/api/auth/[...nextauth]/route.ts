import { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { authOptions } from "@/server/auth/next-auth";
import { systemCtx } from "@/server/context";
import { env } from "@/server/env";
import { readLimited } from "@/server/http/body";
import { originOf } from "@/server/http/client-ip";
import { problemResponse } from "@/server/http/problem";

export const dynamic = "force-dynamic";

type Context = { params: Promise<{ nextauth: string[] }> };

/** The problem as every door tells it, with the one member that next-auth's browser code reads its error from. */
async function refusal(error: unknown, requestId: string): Promise<Response> {
  const answer = problemResponse(error, requestId);
  const problem = (await answer.json()) as { code: string };
  const url = new URL(`/login?error=${problem.code}`, env().NEXTAUTH_URL).href;
  return Response.json({ ...problem, url }, { status: answer.status, headers: answer.headers });
}

/** The same request with its body in memory, which the limit keeps small: next-auth itself would read without end. */
async function limited(request: NextRequest): Promise<NextRequest> {
  if (request.method !== "POST") return request;
  const body = Buffer.from(await readLimited(request));
  return new NextRequest(request.url, { method: "POST", headers: request.headers, body });
}

async function handler(request: NextRequest, context: Context): Promise<Response> {
  const ctx = { ...systemCtx(), ...originOf(request) };
  const refused: unknown[] = [];
  const options = authOptions(ctx, (error) => refused.push(error));
  try {
    const response: Response = await NextAuth(await limited(request), context, options);
    if (refused.length === 0) return response;
  } catch (error) {
    refused.unshift(error);
  }
  return refusal(refused[0], ctx.requestId);
}

export { handler as GET, handler as POST };
