"use client";

import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClientErrorLike,
  type TRPCLink,
} from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { observable, type Unsubscribable } from "@trpc/server/observable";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import { MAX_BATCH_CALLS } from "@/server/doors/trpc/batch";
import type { AppRouter } from "@/server/doors/trpc/root";
import { createQueryClient } from "./query-client";
import { confirmIdentity } from "./step-up";

export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;
export type ApiError = TRPCClientErrorLike<AppRouter>;

const context = createTRPCContext<AppRouter>();
export const useTRPC = context.useTRPC;
/** The procedures as plain functions, for calls that must be cancellable. */
export const useTRPCClient = context.useTRPCClient;

let browserClient: QueryClient | undefined;

/** One cache per browser tab, a new one per render on the server. */
function queryClient(): QueryClient {
  if (typeof window === "undefined") return createQueryClient();
  browserClient ??= createQueryClient();
  return browserClient;
}

/** Prevents batching: a batch responds as a whole, so other calls would wait for a slow one. */
export const UNBATCHED = { context: { alone: true } };

const url = "/api/trpc";

/** Retries a call that requires a recent confirmation of identity once the user has confirmed. */
const stepUpLink: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      const send = (isLast: boolean): Unsubscribable =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error(error) {
            if (isLast || error.data?.problem.code !== "step_up_required") return observer.error(error);
            void confirmIdentity().then((confirmed) => (confirmed ? send(true) : observer.error(error)));
          },
        });
      return send(false);
    });

const createClient = () =>
  createTRPCClient<AppRouter>({
    links: [
      stepUpLink,
      splitLink({
        condition: (op) => op.context.alone === true,
        true: httpLink({ url }),
        false: splitLink({
          condition: (op) => op.type === "subscription",
          true: httpSubscriptionLink({ url }),
          false: httpBatchLink({ url, maxItems: MAX_BATCH_CALLS }),
        }),
      }),
    ],
  });

/** Provides the query cache and the typed procedures. */
export function TrpcProvider({ children }: { children: ReactNode }) {
  const [client] = useState(createClient);
  const cache = queryClient();
  return (
    <QueryClientProvider client={cache}>
      <context.TRPCProvider trpcClient={client} queryClient={cache}>
        {children}
      </context.TRPCProvider>
    </QueryClientProvider>
  );
}
