"use client";

import { Button, Checkbox, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { useCan } from "@/components/account/org";
import { shortDate } from "@/components/format/time";
import { useTRPC } from "@/components/trpc";
import { errorText, Failure, Message } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import type { DeviceValue, FieldValue } from "@/server/custom-fields/schema";
import classes from "./device-fields.module.css";

type Draft = FieldValue | null;

/** A device's custom fields, editable in place. */
export function DeviceFields({ deviceId }: { deviceId: string }) {
  const query = useQuery(useTRPC().customFields.ofDevice.queryOptions({ id: deviceId }));
  if (query.isError)
    return <Failure error={query.error} onRetry={() => void query.refetch()} what="the custom fields" />;
  if (!query.data) return null;
  if (query.data.length === 0) return <NoFields />;
  return (
    <Section title="Custom fields">
      <ul className={classes.list}>
        {query.data.map((field) => (
          <Field key={field.fieldId} deviceId={deviceId} field={field} />
        ))}
      </ul>
    </Section>
  );
}

/** Shown without fields, with a link to define one. */
function NoFields() {
  const mayManage = useCan("custom_fields:manage");
  return (
    <Section title="Custom fields">
      <Text size="sm" c="dimmed">
        No custom fields are defined for this device.{" "}
        {mayManage && (
          <Link href="/settings/custom-fields" className="tm-link">
            Define them under Settings
          </Link>
        )}
      </Text>
    </Section>
  );
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

function shown(value: FieldValue | null, type: DeviceValue["type"]): string {
  if (value === null || value === "") return "Not set";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return type === "date" && DATE.test(String(value)) ? shortDate(`${value}T00:00:00Z`, "UTC") : String(value);
}

/** Value of a draft; undefined if not a number. A NumberInput holds partial input as text. */
function readDraft(draft: Draft, type: DeviceValue["type"]): FieldValue | null | undefined {
  if (draft === null || draft === "") return null;
  if (type !== "number") return draft;
  return Number.isFinite(Number(draft)) ? Number(draft) : undefined;
}

function Field({ deviceId, field }: { deviceId: string; field: DeviceValue }) {
  const mayManage = useCan("custom_fields:manage");
  const [isEditing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !isEditing) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  return (
    <li>
      <Text size="xs" c="dimmed">
        {field.name}
      </Text>
      {isEditing ? (
        <Editor deviceId={deviceId} field={field} onDone={() => setEditing(false)} />
      ) : (
        <span className={classes.value}>
          <span data-unset={field.value === null || undefined}>
            {shown(field.value, field.type)}
            {field.isDefault && field.value !== null && <small> (default)</small>}
          </span>
          {mayManage && (
            <Button
              ref={button}
              variant="subtle"
              color="gray"
              size="compact-xs"
              onClick={() => setEditing(true)}
              aria-label={`Edit ${field.name}`}
            >
              Edit
            </Button>
          )}
        </span>
      )}
    </li>
  );
}

function Editor({ deviceId, field, onDone }: { deviceId: string; field: DeviceValue; onDone: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const [draft, setDraft] = useState<Draft>(field.value);
  const save = useMutation(
    trpc.customFields.setOfDevice.mutationOptions({
      onSuccess: async () => {
        await cache.invalidateQueries(trpc.customFields.ofDevice.queryFilter({ id: deviceId }));
        onDone();
      },
    }),
  );
  const value = readDraft(draft, field.type);
  const send = (sent: FieldValue | null) => save.mutate({ id: deviceId, [field.fieldKey]: sent });
  return (
    <Stack
      component="form"
      gap="xs"
      pt={4}
      onKeyDown={(event) => event.key === "Escape" && onDone()}
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== undefined) send(value);
      }}
    >
      <Input
        field={field}
        value={draft}
        onChange={setDraft}
        error={value === undefined ? "A number, such as 12 or -1.5" : null}
      />
      {save.error && <Message tone="bad">{errorText(save.error)}</Message>}
      <Group gap="xs">
        <Button type="submit" size="compact-sm" loading={save.isPending}>
          Save
        </Button>
        {!field.required && !field.isDefault && (
          <Button variant="default" size="compact-sm" onClick={() => send(null)}>
            Clear
          </Button>
        )}
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onDone}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

type InputProps = { field: DeviceValue; value: Draft; onChange: (value: Draft) => void; error: string | null };

function Input({ field, value, onChange, error }: InputProps) {
  const shared = { "aria-label": field.name, "data-autofocus": true, autoFocus: true, size: "xs" } as const;
  const text = typeof value === "string" ? value : "";
  switch (field.type) {
    case "boolean":
      return (
        <Checkbox
          label="Yes"
          checked={value === true}
          onChange={(e) => onChange(e.currentTarget.checked)}
          aria-label={field.name}
          autoFocus
        />
      );
    case "number":
      return (
        <NumberInput {...shared} value={typeof value === "number" ? value : text} onChange={onChange} error={error} />
      );
    case "dropdown":
      return <Select {...shared} data={field.options ?? []} value={text || null} onChange={onChange} />;
    case "date":
      return <TextInput {...shared} type="date" value={text} onChange={(e) => onChange(e.currentTarget.value)} />;
    case "text":
      return (
        <Textarea {...shared} autosize maxRows={8} value={text} onChange={(e) => onChange(e.currentTarget.value)} />
      );
  }
}
