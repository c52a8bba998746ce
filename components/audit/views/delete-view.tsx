"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import type { SavedView } from "./saved-view-row";

/** Deletes a view after saying for whom it goes. */
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
        ? "The view goes for everybody whom it is shared with. No audit entry is touched."
        : "The view goes; no audit entry is touched."}
    </Confirm>
  );
}
