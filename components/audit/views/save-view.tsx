"use client";

import { Checkbox, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { chipsOf } from "@/components/audit/filters/chips";
import type { View } from "@/components/audit/filters/filters";
import { PRESET_LABEL } from "@/components/audit/filters/range";
import { spanText } from "@/components/audit/filters/range-line";
import { useZone } from "@/components/format/zone";
import { useMe, useOrg } from "@/components/frame/org";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { formErrors } from "@/components/ui/dialogs/form-errors";
import { MAX_VIEW_NAME } from "@/server/saved-views/schema";
import type { SavedView } from "./saved-view-row";
import classes from "./saved-views.module.css";
import { hasRange, isNarrowed, toQuery } from "./view-query";

const ME = "me";
const PARTNER = "partner";

const toAudience = (choice: string): SavedView["sharedWith"] =>
  choice === ME ? null : { orgId: choice === PARTNER ? null : choice };
const toChoice = (audience: SavedView["sharedWith"]): string => (audience ? (audience.orgId ?? PARTNER) : ME);

/** Keeps what is shown under a name, or gives a kept view another name and other readers. */
export function SaveView({ view, saved, onClose }: { view: View; saved?: SavedView; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const mayShare = useQuery(trpc.savedViews.list.queryOptions({})).data?.mayShare ?? false;
  const [readers, setReaders] = useState(toChoice(saved?.sharedWith ?? null));
  const done = {
    onSuccess: async () => {
      await cache.invalidateQueries(trpc.savedViews.pathFilter());
      onClose();
    },
  };
  const create = useMutation(trpc.savedViews.create.mutationOptions(done));
  const update = useMutation(trpc.savedViews.update.mutationOptions(done));
  const errors = formErrors(create.error ?? update.error, ["name"]);
  const save = (form: FormData) => {
    const name = String(form.get("name"));
    const sharedWith = toAudience(readers);
    const isNewAudience = readers !== toChoice(saved?.sharedWith ?? null);
    if (saved) update.mutate({ id: saved.id, name, ...(isNewAudience ? { sharedWith } : {}) });
    else create.mutate({ name, query: toQuery(view, form.has("range") || !isNarrowed(view)), sharedWith });
  };
  return (
    <FormDialog
      opened
      title={saved ? `Change ${saved.name}` : "Save this view"}
      submit="Save"
      isBusy={create.isPending || update.isPending}
      error={errors.general}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        defaultValue={saved?.name}
        required
        withAsterisk={false}
        maxLength={MAX_VIEW_NAME}
        error={errors.of("name")}
        data-autofocus
      />
      {mayShare ? (
        <Readers value={readers} onChange={setReaders} />
      ) : (
        <p className={classes.note}>Only you will see it: your role keeps views, it does not share them.</p>
      )}
      {!saved && <Kept view={view} />}
    </FormDialog>
  );
}

function Readers({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { scope } = useMe();
  const { organizations } = useOrg();
  const data = [
    { value: ME, label: "Only you" },
    ...(scope === "partner" ? [{ value: PARTNER, label: "Everybody who looks after all organizations" }] : []),
    ...organizations.map((o) => ({ value: o.id, label: `Everybody at ${o.name}` })),
  ];
  return (
    <Select
      label="Who sees it"
      data={data}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen)}
      allowDeselect={false}
      searchable={data.length > 8}
      maxDropdownHeight={240}
    />
  );
}

/** What goes into the view, in words; the range only on demand, for most questions are asked of any time. */
function Kept({ view }: { view: View }) {
  const { zone } = useZone();
  const chips = chipsOf(view);
  const range = view.range
    ? PRESET_LABEL[view.range]
    : spanText({ from: view.from ?? undefined, to: view.to ?? undefined }, zone);
  return (
    <>
      {chips.length > 0 && (
        <p className={classes.note}>It keeps {chips.map((c) => `${c.name}: ${c.value}`).join("; ")}.</p>
      )}
      {hasRange(view) && isNarrowed(view) && <Checkbox name="range" label={`Keep the time range too: ${range}`} />}
    </>
  );
}
