import { nameRequest, noteAway } from "@/db/traced";
import type { TrpcContext } from "@/server/doors/trpc/init";
import { appRouter, permissionOf } from "@/server/doors/trpc/root";
import { publishedPolicy } from "@/server/evidence/witnesses/policy-file";
import { RELEASE } from "@/server/ground/build";
import { originOf } from "@/server/ground/client-ip";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newRequestId } from "@/server/ground/ids";
import { isMailConfigured } from "@/server/ground/mail";
import { includesPermission } from "@/server/ground/permissions";
import { authenticate } from "@/server/identity/auth/authenticate";
import { oidcProvider } from "@/server/identity/auth/oidc/oidc";
import type { SignInOptions } from "@/server/identity/auth/schema";
import { REQUESTED_PAGE } from "@/server/identity/auth/session-cookie";
import { isSetupNeeded } from "@/server/setup/setup";

async function findCaller(request: Request, known: Pick<Ctx, "ip" | "userAgent" | "requestId">): Promise<Ctx | null> {
  try {
    const caller = await authenticate(request, { auth: "user" });
    return { ...caller, ...known, now: () => new Date() };
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return null;
    throw error;
  }
}

/**
 * Server functions for Next's pages. The server is bundled once, outside Next, so that pools, caches and queues exist
 * once; pages reach it through globalThis, set by start(), and import only types.
 */
export const pages = {
  router: appRouter,
  /** Context of procedures for a page's reader; caller is null without a session. */
  async context(headers: Headers): Promise<TrpcContext> {
    const requestId = nameRequest(newRequestId());
    const request = new Request("http://page.invalid", { headers });
    const from = originOf(request);
    return { caller: await noteAway(() => findCaller(request, { ...from, requestId })), from, requestId };
  },
  /** True if a page's reader may run a query; the first part of its key is the procedure's path. */
  mayAsk(caller: Ctx | null, [path]: readonly unknown[]): boolean {
    const permission = permissionOf([path].flat().join("."));
    return !permission || (caller !== null && includesPermission(caller.permissions, permission));
  },
  /** Address requested by the browser, as seen by the front. */
  requestedPage: (headers: Headers): string | null => headers.get(REQUESTED_PAGE),
  /** Version and commit as one word. */
  release: RELEASE,
  /** Trust policy of this server, for auditors to save. */
  publishedPolicy,
  /** The choices of the sign-in page. */
  signInOptions: (): SignInOptions => ({ mail: isMailConfigured(), oidc: oidcProvider()?.name ?? null }),
  isSetUp: async (): Promise<boolean> => !(await noteAway(isSetupNeeded)),
};

declare global {
  var trailmark: typeof pages | undefined;
}
