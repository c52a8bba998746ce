import { TRPCError } from "@trpc/server";
import { authenticate } from "@/server/auth/authenticate";
import { requireSameOrigin } from "@/server/auth/origin";
import type { Ctx } from "@/server/context";
import { env } from "@/server/env";
import { isAppError } from "@/server/errors";
import { clientIp } from "@/server/http/client-ip";
import { toAppError } from "@/server/http/problem";
import { PEER_HEADER } from "@/server/http/route";
import { newRequestId } from "@/server/ids";
import type { TrpcContext } from "./init";

/** From where a request comes, for audit rows and rate limits. */
export function originOf(request: Request): Pick<Ctx, "ip" | "userAgent"> {
  const ip = clientIp(request.headers, request.headers.get(PEER_HEADER), env().TRUST_PROXY_HEADERS);
  return { ip, userAgent: request.headers.get("user-agent") };
}

/**
 * What procedures get of a browser's request. Mutations come by POST; with the cookie they must come from our pages.
 * @throws TRPCError FORBIDDEN from another site, SERVICE_UNAVAILABLE while the database is away.
 */
export async function createContext(request: Request): Promise<TrpcContext> {
  const requestId = newRequestId();
  const from = originOf(request);
  const authenticated = async (): Promise<Ctx> => {
    const { viaCookie, ...caller } = await authenticate(request, { auth: "user" });
    requireSameOrigin(request, viaCookie);
    return { ...caller, ...from, requestId, now: () => new Date(), signal: request.signal };
  };
  try {
    return { caller: await authenticated(), requestId, from, authenticate: authenticated };
  } catch (error) {
    if (isAppError(error) && error.code === "unauthenticated") return { caller: null, requestId, from };
    const { code, message } = toAppError(error, requestId);
    const trpc = { forbidden: "FORBIDDEN", unavailable: "SERVICE_UNAVAILABLE" } as const;
    const known = trpc[code as keyof typeof trpc] ?? "INTERNAL_SERVER_ERROR";
    throw new TRPCError({ code: known, message, cause: error as Error });
  }
}
