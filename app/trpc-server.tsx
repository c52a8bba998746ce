import "server-only";

import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache, type ReactNode } from "react";
import { makeQueryClient } from "@/components/query-client";
import { authenticate } from "@/server/auth/authenticate";
import { ASKED_FOR } from "@/server/auth/session-cookie";
import type { Ctx } from "@/server/context";
import { isAppError } from "@/server/errors";
import { newRequestId } from "@/server/ids";
import { isSetupNeeded } from "@/server/setup/found-partner";
import { appRouter } from "@/server/trpc/root";

/** One cache per request; what the pages put in goes to the browser with them. */
const queryClient = cache(makeQueryClient);

/** Who asks for this page; null where nobody is signed in. Looked up once per request. */
const pageCaller = cache(async (): Promise<Ctx | null> => {
  const sent = await headers();
  const requestId = newRequestId();
  try {
    const caller = await authenticate(new Request("http://page.invalid", { headers: new Headers(sent) }), {
      auth: "user",
    });
    return { ...caller, ip: null, userAgent: sent.get("user-agent"), requestId, now: () => new Date() };
  } catch (error) {
    if (isAppError(error) && error.code === "unauthenticated") return null;
    throw error;
  }
});

export const isSignedIn = async (): Promise<boolean> => (await pageCaller()) !== null;

/** Sends strangers to the sign-in page and back. The cookie alone does not tell: a session may have been ended. */
export async function requireSignIn(): Promise<void> {
  if (await isSignedIn()) return;
  const asked = (await headers()).get(ASKED_FOR);
  redirect(`/login?ended=1${asked ? `&callbackUrl=${encodeURIComponent(asked)}` : ""}`);
}

/** The procedures as query options, run in this process. */
export const trpc = createTRPCOptionsProxy({
  ctx: async () => {
    const caller = await pageCaller();
    return { caller, requestId: caller?.requestId ?? newRequestId() };
  },
  router: appRouter,
  queryClient,
});

type Prefetchable = Parameters<ReturnType<typeof queryClient>["prefetchQuery"]>[0];

/** Fetches what the page needs before it is rendered; failures are left to the browser, which shows and retries them. */
export async function Prefetched({ queries, children }: { queries: unknown[]; children: ReactNode }) {
  const client = queryClient();
  await Promise.all(queries.map((query) => client.prefetchQuery(query as Prefetchable)));
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>;
}

/** What a page's title needs to know; null where it cannot be had. The page's own prefetch finds it in the cache. */
export function fetched<T>(query: { queryKey: readonly unknown[] }): Promise<T | null> {
  return queryClient()
    .fetchQuery(query as Prefetchable)
    .then((data) => data as T)
    .catch(() => null);
}

/** False until the first administrator exists. */
export async function isSetUp(): Promise<boolean> {
  return !(await isSetupNeeded());
}
