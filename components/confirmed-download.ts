"use client";

import { useMutation } from "@tanstack/react-query";
import type { MouseEvent } from "react";
import { useTRPC } from "./trpc";

/**
 * Click handler of a download link that requires a recent confirmation of identity: unlike a request, a refused
 * download cannot be retried, so the confirmation is asked for first.
 */
export function useConfirmedDownload(): (event: MouseEvent<HTMLAnchorElement>) => void {
  const trpc = useTRPC();
  const check = useMutation(trpc.me.checkProof.mutationOptions());
  return (event) => {
    const { href, download } = event.currentTarget;
    if (!href) return;
    event.preventDefault();
    if (check.isPending) return;
    const follow = () => Object.assign(document.createElement("a"), { href, download }).click();
    // Any other error will be shown by the browser for the download itself.
    check.mutate(undefined, {
      onSuccess: follow,
      onError: ({ data }) => data?.problem.code !== "step_up_required" && follow(),
    });
  };
}
