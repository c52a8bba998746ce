"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc";
import type { Step } from "@/server/setup/checklist/schema";

type StepLink = { label: string; href: (orgId: string | null) => string };
type Words = { title: string; way?: StepLink };

const at = (path: string) => (orgId: string | null) => (orgId ? `${path}?orgId=${orgId}` : path);
const to = (path: string) => () => path;

/** The name of each step and its page. */
export const STEPS: Record<Step, Words> = {
  organization: {
    title: "Create an organization for your first customer",
    way: { label: "Create an organization", href: to("/organizations") },
  },
  enrollment_key: {
    title: "Create an enrollment key",
    way: { label: "Create a key", href: at("/settings/enrollment") },
  },
  agent: {
    title: "Connect the first agent",
    way: { label: "Open enrollment", href: at("/settings/enrollment") },
  },
  verified: {
    title: "Verify the first entries",
    way: { label: "Verify", href: at("/integrity") },
  },
  backup: {
    title: "Create a backup",
  },
  witness: {
    title: "Configure a witness",
  },
  two_factor: {
    title: "Turn on two-factor sign-in for your account",
    way: { label: "Your account", href: to("/account") },
  },
};

/** For steps that usually complete while the user watches, such as installing an agent. */
const ACTIVE_POLL_MS = 5_000;
/** For steps that are completed elsewhere. */
const IDLE_POLL_MS = 60_000;

/**
 * The checklist; null for users it is not meant for. Refetched after every mutation, and polled while steps are open.
 */
export function useChecklist() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const query = useQuery({
    ...trpc.setup.checklist.queryOptions(),
    refetchInterval: ({ state }) => {
      const next = state.data?.steps.find(({ done }) => !done)?.step;
      if (!next) return false;
      return next === "agent" || next === "verified" ? ACTIVE_POLL_MS : IDLE_POLL_MS;
    },
  });
  useEffect(
    () =>
      cache.getMutationCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "success")
          void cache.invalidateQueries(trpc.setup.checklist.queryFilter());
      }),
    [cache, trpc],
  );
  const dismiss = useMutation(trpc.setup.dismissChecklist.mutationOptions());
  return { query, list: query.data ?? null, dismiss };
}
