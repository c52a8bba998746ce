import "server-only";

import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache, type ReactNode } from "react";
import { NotLoaded, type Refusal } from "@/components/frame/not-loaded";
import { createQueryClient } from "@/components/query-client";
import type { pages } from "@/server/doors/front/pages";
import { GUID } from "@/server/ground/text";

/** The running server is bundled outside Next, so only its types may be imported here. */
function server(): typeof pages {
  if (!globalThis.trailmark) throw new Error("Pages are served by the front server alone: npm start, npm run dev.");
  return globalThis.trailmark;
}

/** One cache per request; prefetched data is sent to the browser with the page. */
const queryClient = cache(createQueryClient);

/** The caller of this page's request; resolved once per request. */
const pageContext = cache(async () => server().context(new Headers(await headers())));

/** The keys, witnesses and quorum that this server publishes. */
export const publishedPolicy = (): string => server().publishedPolicy();

/** Running release, as one word. */
export const release = (): string => server().release;

/**
 * Redirects signed-out visitors to the sign-in page and back. A cookie is not proof: the session may have been revoked.
 */
export async function requireSignIn(): Promise<void> {
  const { caller } = await pageContext();
  const page = server().requestedPage(await headers());
  // Until a required second factor is set up, only the account page is available.
  if (caller?.mustEnroll && page && !page.startsWith("/account")) redirect("/account");
  if (caller) return;
  redirect(`/login?ended=1${page ? `&callbackUrl=${encodeURIComponent(page)}` : ""}`);
}

/** UUID in a page's address; anything else is a missing page. */
export async function idIn(params: Promise<{ id: string }>): Promise<string> {
  const { id } = await params;
  return GUID.test(id) ? id : notFound();
}

/** The procedures as query options, called in this process. */
export const trpc = createTRPCOptionsProxy({
  ctx: pageContext,
  get router() {
    return server().router;
  },
  queryClient,
});

/** Erases the type of a procedure's query options, which is different for each procedure. */
const asQuery = (options: unknown) => options as Parameters<ReturnType<typeof queryClient>["prefetchQuery"]>[0];

/** Uses the procedure's public error message and code, never those of the underlying cause. */
async function toRefusal(error: Error): Promise<Refusal> {
  const { requestId } = await pageContext();
  const code = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : "internal";
  return { detail: error.message, code, requestId };
}

type PrefetchedProps = { queries?: unknown[]; needs?: unknown[]; isFrame?: boolean; children: ReactNode };

/**
 * Prefetches a page's queries, except those the user has no permission for: calling them would record a denial. Failed
 * `queries` are left to the browser, which shows the error and retries. Failed `needs` render NotLoaded instead,
 * because components suspend on them and would fetch again during server rendering, where relative URLs do not resolve.
 */
export async function Prefetched({ queries = [], needs = [], isFrame = false, children }: PrefetchedProps) {
  const client = queryClient();
  const { caller } = await pageContext();
  const asked = [...needs, ...queries].map(asQuery).filter(({ queryKey }) => server().mayAsk(caller, queryKey));
  await Promise.all(asked.map((query) => client.prefetchQuery(query)));
  for (const { queryKey } of needs.map(asQuery)) {
    const { error } = client.getQueryState(queryKey) ?? {};
    if (error) return <NotLoaded refusal={await toRefusal(error)} isFrameless={isFrame} />;
  }
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>;
}

/** Data for a page's title; null on failure. The page's own prefetch then reads it from the cache. */
export function fetchOrNull<T>(query: { queryKey: readonly unknown[] }): Promise<T | null> {
  return queryClient()
    .fetchQuery(asQuery(query))
    .then((data) => data as T)
    .catch(() => null);
}

/** False until the first administrator exists. */
export const isSetUp = (): Promise<boolean> => server().isSetUp();

/** The sign-in methods that the sign-in page offers. */
export const signInOptions = () => server().signInOptions();
