import { nameRequest } from "@/db/traced";
import { idempotencyKeyOf } from "@/server/doors/http/idempotency";
import { originOf } from "@/server/ground/client-ip";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newRequestId } from "@/server/ground/ids";
import { authenticate } from "@/server/identity/auth/authenticate";
import { requireSameOrigin } from "@/server/identity/auth/origin";
import { type TrpcContext, toTrpcError } from "./init";

/**
 * What procedures get of a browser's request. Mutations come by POST; with the cookie they must come from our pages.
 * @throws TRPCError FORBIDDEN from another site, SERVICE_UNAVAILABLE while the database is away.
 */
export async function createContext(request: Request): Promise<TrpcContext> {
  const requestId = nameRequest(newRequestId());
  const from = originOf(request);
  const authenticated = async (): Promise<Ctx> => {
    const { viaCookie, ...caller } = await authenticate(request, { auth: "user" });
    requireSameOrigin(request, viaCookie);
    return { ...caller, ...from, requestId, now: () => new Date(), signal: request.signal, recheck: authenticated };
  };
  try {
    return { caller: await authenticated(), requestId, from, idempotencyKey: idempotencyKeyOf(request) };
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return { caller: null, requestId, from };
    throw toTrpcError(error, requestId);
  }
}
