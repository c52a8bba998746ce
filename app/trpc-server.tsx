import "server-only";

import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache, type ReactNode } from "react";
import { NotLoaded, type Refusal } from "@/components/frame/not-loaded";
import { createQueryClient } from "@/components/query-client";
import type { pages } from "@/server/front/pages";

/** The running server, which is bundled outside of Next: no module of it may be imported here but for its types. */
function server(): typeof pages {
  if (!globalThis.trailmark) throw new Error("Pages are served by the front server alone: npm start, npm run dev.");
  return globalThis.trailmark;
}

/** One cache per request; what the pages put in goes to the browser with them. */
const queryClient = cache(createQueryClient);

/** Who asks for this page; looked up once per request. */
const pageContext = cache(async () => server().context(new Headers(await headers())));

export const isSignedIn = async (): Promise<boolean> => (await pageContext()).caller !== null;

/** Whose signatures this server says to trust: keys, witnesses and quorum. */
export const publishedPolicy = (): string => server().publishedPolicy();

/** Sends strangers to the sign-in page and back. The cookie is not enough to know: a session may have been ended. */
export async function requireSignIn(): Promise<void> {
  const { caller } = await pageContext();
  const page = server().requestedPage(await headers());
  // Nothing but the own account is open to a person who must set up a second factor first.
  if (caller?.mustEnroll && page && !page.startsWith("/account")) redirect("/account");
  if (caller) return;
  redirect(`/login?ended=1${page ? `&callbackUrl=${encodeURIComponent(page)}` : ""}`);
}

/** The procedures as query options, run in this process. */
export const trpc = createTRPCOptionsProxy({
  ctx: pageContext,
  get router() {
    return server().router;
  },
  queryClient,
});

/** Query options of any procedure as the cache takes them: each has its own type. */
const asQuery = (options: unknown) => options as Parameters<ReturnType<typeof queryClient>["prefetchQuery"]>[0];

/** What a procedure failed with, in its own words: these are the contract's, never those of what was thrown within. */
async function refusalOf(error: Error): Promise<Refusal> {
  const { requestId } = await pageContext();
  const code = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : "internal";
  return { detail: error.message, code, requestId };
}

type PrefetchedProps = { queries?: unknown[]; needs?: unknown[]; isFrame?: boolean; children: ReactNode };

/**
 * Fetches what the page wants before it is rendered, but not what its reader may not see: that would be refused, and the
 * refusal recorded. Failures are left to the browser, which shows and retries them; but not of what the page needs, which
 * its components suspend for: they would ask for it while they are rendered here, where nothing has an address.
 */
export async function Prefetched({ queries = [], needs = [], isFrame = false, children }: PrefetchedProps) {
  const client = queryClient();
  const { caller } = await pageContext();
  const asked = [...needs, ...queries].map(asQuery).filter(({ queryKey }) => server().mayAsk(caller, queryKey));
  await Promise.all(asked.map((query) => client.prefetchQuery(query)));
  for (const { queryKey } of needs.map(asQuery)) {
    const { error } = client.getQueryState(queryKey) ?? {};
    if (error) return <NotLoaded refusal={await refusalOf(error)} isFrameless={isFrame} />;
  }
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>;
}

/** What a page's title needs to know; null where it cannot be had. The page's own prefetch finds it in the cache. */
export function fetched<T>(query: { queryKey: readonly unknown[] }): Promise<T | null> {
  return queryClient()
    .fetchQuery(asQuery(query))
    .then((data) => data as T)
    .catch(() => null);
}

/** False until the first administrator exists. */
export const isSetUp = (): Promise<boolean> => server().isSetUp();

/** What the sign-in page offers. */
export const signInOptions = () => server().signInOptions();
