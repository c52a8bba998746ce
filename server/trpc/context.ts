import { nameRequest } from "@/db/traced";
import { authenticate } from "@/server/auth/authenticate";
import { requireSameOrigin } from "@/server/auth/origin";
import { originOf } from "@/server/client-ip";
import type { Ctx } from "@/server/context";
import { AppError } from "@/server/errors";
import { idempotencyKeyOf } from "@/server/http/idempotency";
import { newRequestId } from "@/server/ids";
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
