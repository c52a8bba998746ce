"use client";

import { Checkbox, type CheckboxProps, Select, type SelectProps, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMe, useOrg } from "@/components/account/org";
import { chipsOf } from "@/components/audit/state/describe-filters";
import { PRESET_LABEL, spanText } from "@/components/audit/state/range";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { createInput, updateInput } from "@/server/saved-views/schema";
import type { SavedView } from "./saved-view-row";
import { hasRange, isNarrowed, toQuery } from "./view-query";

const ME = "me";
const PARTNER = "partner";

const toAudience = (choice: string): SavedView["sharedWith"] =>
  choice === ME ? null : { orgId: choice === PARTNER ? null : choice };
const toChoice = (audience: SavedView["sharedWith"]): string => (audience ? (audience.orgId ?? PARTNER) : ME);

/** Saves the current filters as a view, or changes a view's name and sharing. */
export function SaveView({ saved, onClose }: { saved?: SavedView; onClose: () => void }) {
  const { view } = useViewer();
  const trpc = useTRPC();
  const mayShare = useQuery(trpc.savedViews.list.queryOptions({})).data?.mayShare ?? false;
  const before = toChoice(saved?.sharedWith ?? null);
  const form = useForm({ name: saved?.name ?? "", sharedWith: before, range: false });
  const done = useDone(onClose, trpc.savedViews.pathFilter());
  const create = useMutation(trpc.savedViews.create.mutationOptions(done));
  const update = useMutation(trpc.savedViews.update.mutationOptions(done));
  const save = ({ name, sharedWith: readers, range }: typeof form.values) => {
    const sharedWith = toAudience(readers);
    return saved
      ? form.send(updateInput, update, { id: saved.id, name, ...(readers === before ? {} : { sharedWith }) })
      : form.send(createInput, create, { name, query: toQuery(view, range || !isNarrowed(view)), sharedWith });
  };
  return (
    <FormDialog
      form={form}
      title={saved ? `Edit ${saved.name}` : "Save this view"}
      action="Save"
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput label="Name" required {...form.field("name")} data-autofocus />
      {mayShare ? (
        <Readers {...form.field("sharedWith")} />
      ) : (
        <Text size="sm" c="dimmed">
          Only you will see it: your role can save views but not share them.
        </Text>
      )}
      {!saved && <ViewSummary range={form.checkbox("range")} />}
    </FormDialog>
  );
}

function Readers(field: SelectProps) {
  const { scope, allOrganizations } = useMe();
  const { organizations } = useOrg();
  const data = [
    { value: ME, label: "Only you" },
    ...(scope === "partner" && (allOrganizations || field.value === PARTNER)
      ? [{ value: PARTNER, label: "Everyone with access to all organizations" }]
      : []),
    ...organizations.map((o) => ({ value: o.id, label: `Everyone at ${o.name}` })),
  ];
  return <Select label="Who sees it" data={data} searchable={data.length > 8} maxDropdownHeight={240} {...field} />;
}

/** The contents of the view; the range is optional, because most filters apply to any time. */
function ViewSummary({ range: keepsRange }: { range: CheckboxProps }) {
  const { view, audit } = useViewer();
  const { zone } = useZone();
  const chips = chipsOf(view, audit.names);
  const range = view.range
    ? PRESET_LABEL[view.range]
    : spanText({ from: view.from ?? undefined, to: view.to ?? undefined }, zone);
  return (
    <>
      {chips.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          It includes {chips.map((c) => `${c.name}: ${c.value}`).join("; ")}.
        </Text>
      )}
      {hasRange(view) && isNarrowed(view) && <Checkbox label={`Include the time range: ${range}`} {...keepsRange} />}
    </>
  );
}

/** Deletes a view after naming the users who lose it. */
export function DeleteView({ saved, onClose }: { saved: SavedView; onClose: () => void }) {
  const trpc = useTRPC();
  const remove = useMutation(trpc.savedViews.remove.mutationOptions(useDone(onClose, trpc.savedViews.pathFilter())));
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
