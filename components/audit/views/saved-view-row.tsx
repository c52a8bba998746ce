"use client";

import { ActionIcon, Button, Group, Text, UnstyledButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Check, Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { useOrg } from "@/components/account/org";
import type { View } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { type Outputs, useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";
import { hasRange, isNarrowed, isShown, updatedQuery, type ViewQuery } from "./view-query";

export type SavedView = Outputs["savedViews"]["list"]["data"][number];
/** Actions that need a dialog: saving a view (or renaming and sharing an existing one) and deleting one. */
export type ViewRequest = { what: "save"; saved?: SavedView } | { what: "delete"; saved: SavedView };

/** True when there is a filter or range to save. */
export const isSavable = (view: View) => isNarrowed(view) || hasRange(view);

type ViewButtonProps = { name: string; hint?: string; isShown: boolean; onPick: () => void };

/** A view's name; the current view has a checkmark. */
export function ViewButton({ name, hint, isShown, onPick }: ViewButtonProps) {
  return (
    <UnstyledButton className="tm-option" flex={1} miw={0} aria-pressed={isShown} onClick={onPick}>
      <Check size={14} visibility={isShown ? "visible" : "hidden"} aria-hidden />
      <Text span inherit truncate flex={1}>
        {name}
      </Text>
      {hint && (
        <Text span size="xs" fw={400} c="dimmed" truncate flex="none" maw="45%">
          {hint}
        </Text>
      )}
    </UnstyledButton>
  );
}

type RowProps = {
  saved: SavedView;
  isOpen: boolean;
  onToggle: () => void;
  onPick: (query: ViewQuery) => void;
  onRequest: (request: ViewRequest) => void;
};

/** A saved view; its actions unfold below it. */
export function SavedRow({ saved, isOpen, onToggle, onPick, onRequest }: RowProps) {
  const { view } = useViewer();
  const { organizations, nameOf } = useOrg();
  const at = saved.sharedWith;
  const owner = at && (at.orgId === null ? "All organizations" : organizations.length > 1 ? nameOf(at.orgId) : null);
  const hint = at ? (owner ?? (saved.isMine ? "By you" : saved.createdByName)) : undefined;
  const isCurrent = isShown(view, saved.query);
  return (
    <Group component="li" gap={2}>
      <ViewButton name={saved.name} hint={hint} isShown={isCurrent} onPick={() => onPick(saved.query)} />
      {saved.mayChange && (
        <ActionIcon size={28} aria-label={`Edit ${saved.name}`} aria-expanded={isOpen} onClick={onToggle}>
          <Ellipsis size={15} aria-hidden />
        </ActionIcon>
      )}
      {isOpen && (
        <Group gap={4} w="100%" p="2px 0 6px 20px">
          {!isCurrent && isSavable(view) && <Replace saved={saved} />}
          <Change onClick={() => onRequest({ what: "save", saved })}>Rename or share</Change>
          <Change onClick={() => onRequest({ what: "delete", saved })}>Delete</Change>
        </Group>
      )}
    </Group>
  );
}

function Change({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button variant="subtle" color="gray" size="compact-sm" onClick={onClick}>
      {children}
    </Button>
  );
}

/** Replaces a view's filters with the current ones; the checkmark that appears confirms it. */
function Replace({ saved }: { saved: SavedView }) {
  const { view } = useViewer();
  const trpc = useTRPC();
  const update = useMutation(trpc.savedViews.update.mutationOptions(useInvalidation(trpc.savedViews.pathFilter())));
  if (update.isError) return <Message tone="bad">{errorText(update.error)}</Message>;
  return (
    <Change onClick={() => update.mutate({ id: saved.id, query: updatedQuery(view, saved.query) })}>
      Update to the current view
    </Change>
  );
}
