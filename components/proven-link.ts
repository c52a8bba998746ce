"use client";

import { useMutation } from "@tanstack/react-query";
import type { MouseEvent } from "react";
import { useTRPC } from "./trpc";

/**
 * What a link does whose file the server gives only after a recent proof of who is there: a link cannot be refused and
 * sent again, so the person is asked first.
 */
export function useProvenLink(): (event: MouseEvent<HTMLAnchorElement>) => void {
  const trpc = useTRPC();
  const check = useMutation(trpc.me.checkProof.mutationOptions());
  return (event) => {
    const { href, download } = event.currentTarget;
    if (!href) return;
    event.preventDefault();
    if (check.isPending) return;
    const follow = () => Object.assign(document.createElement("a"), { href, download }).click();
    // Whatever else is wrong, the browser says it of the download itself.
    check.mutate(undefined, {
      onSuccess: follow,
      onError: ({ data }) => data?.problem.code !== "step_up_required" && follow(),
    });
  };
}
