import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { errorText } from "@/components/ui/notice";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { type Verified, withVerdict } from "./verified";

/** Limits concurrency to the cores of a small server. */
const MAX_CONCURRENT = 2;

/** Verifies the chains of several organizations. Verdicts survive cancelling; starting again asks for those still missing. */
export function useVerifyMany(organizations: readonly OrganizationOverview[]) {
  const verify = useMutation(useTRPC().integrity.verify.mutationOptions({ trpc: UNBATCHED }));
  const [found, setFound] = useState<Verified[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  const one = async ({ orgId, name }: OrganizationOverview): Promise<Verified> => {
    try {
      return { orgId, name, status: (await verify.mutateAsync({ orgId })).status };
    } catch (error) {
      return { orgId, name, status: "failed", message: errorText(error) };
    }
  };
  const start = async () => {
    stopped.current = false;
    setIsRunning(true);
    const kept = withVerdict(found);
    setFound(kept);
    const done = new Set(kept.map(({ orgId }) => orgId));
    const left = organizations.filter(({ orgId }) => !done.has(orgId));
    const work = async () => {
      for (let next = left.shift(); next && !stopped.current; next = left.shift()) {
        const verdict = await one(next);
        setFound((old) => [...old, verdict]);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
    setIsRunning(false);
  };
  const cancel = () => {
    stopped.current = true;
  };
  return { found, isRunning, start: () => void start(), cancel };
}
