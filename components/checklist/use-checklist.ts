"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc";
import type { Step } from "@/server/setup/checklist/schema";

type StepLink = { label: string; href: (orgId: string | null) => string };
type Words = { title: string; what: string; way?: StepLink; command?: string };

const at = (path: string) => (orgId: string | null) => (orgId ? `${path}?orgId=${orgId}` : path);
const to = (path: string) => () => path;

/** The name of each step, its purpose, and its page or command. */
export const STEPS: Record<Step, Words> = {
  organization: {
    title: "Create an organization for your first customer",
    what: "Each customer has its own organization, with its own audit chain, retention and users.",
    way: { label: "Create an organization", href: to("/settings/organizations") },
  },
  enrollment_key: {
    title: "Create an enrollment key",
    what: "The customer's devices join the organization with it. It is shown once, with the command that uses it.",
    way: { label: "Create a key", href: at("/settings/enrollment") },
  },
  agent: {
    title: "Connect the first agent",
    what: "Run the key's command on a device. This step is ticked off when the agent first reports.",
    way: { label: "Open enrollment", href: at("/settings/enrollment") },
  },
  verified: {
    title: "Verify the first entries",
    what: "The agent's first actions are in the audit log. Verify the chain once yourself; a nightly run keeps checking it.",
    way: { label: "Verify", href: at("/integrity") },
  },
  backup: {
    title: "Create a backup",
    what: "Run this on the server, and repeat it regularly: a backup restores nothing that was recorded after it. Backups created by other means are not detected.",
    command: "npm run trailmark -- backup",
  },
  witness: {
    title: "Configure a witness",
    what: "A witness outside your control cosigns each checkpoint, so that not even you could rewrite history unnoticed. Set this variable to the path of its policy file and restart the server.",
    command: "TRAILMARK_WITNESS_POLICY_FILE",
  },
  two_factor: {
    title: "Turn on two-factor sign-in for your account",
    what: "An authenticator app or a passkey.",
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
