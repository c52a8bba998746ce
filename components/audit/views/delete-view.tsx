"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import type { SavedView } from "./saved-view-row";

/** Deletes a view after naming the users who lose it. */
export function DeleteView({ saved, onClose }: { saved: SavedView; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const remove = useMutation(
    trpc.savedViews.remove.mutationOptions({
      onSuccess: async () => {
        await cache.invalidateQueries(trpc.savedViews.pathFilter());
        onClose();
      },
    }),
  );
  return (
    <Confirm
      title={`Delete ${saved.name}`}
      action="Delete view"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id: saved.id })}
      onClose={onClose}
    >
      {saved.sharedWith
        ? "The view is deleted for everyone it is shared with. Audit entries are not affected."
        : "The view is deleted. Audit entries are not affected."}
    </Confirm>
  );
}
