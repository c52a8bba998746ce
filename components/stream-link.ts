import { httpSubscriptionLink } from "@trpc/client";

/** The way of streams, in a file of its own: it is loaded with the first of them. */
export const streamLink = httpSubscriptionLink;
