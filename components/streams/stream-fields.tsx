"use client";

import { Checkbox, NumberInput, PasswordInput, Select, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { CodeBlock } from "@/components/ui/code/code-block";
import { errorText, Message } from "@/components/ui/notice";
import type { Stream } from "@/server/notify/streams/schema";
import { STREAM_FORMAT_NAMES, STREAM_FORMATS } from "@/server/notify/streams/vocabulary";
import { CHOICES, type Choice, FIELDS, type Field, isSecret } from "./kinds";
import classes from "./streams.module.css";
import type { StreamForm, useStreamForm } from "./use-stream-form";

const PEM_ROWS = 4;

type FieldProps = { field: Field; form: StreamForm; isNew: boolean };

/** A setting's input; an existing secret can only be replaced. */
function FieldInput({ field, form, isNew }: FieldProps) {
  const { name, label, hint, isRequired } = field;
  const placeholder = isSecret(field) && !isNew ? "Unchanged" : field.placeholder;
  const required = isRequired === true && (isNew || !isSecret(field));
  const props = { label, description: hint, placeholder, required, ...form.field(name) };
  switch (field.input) {
    case "switch":
      return <Switch label={label} description={hint} {...form.checkbox(name)} />;
    case "select":
      return <Select data={field.options} allowDeselect={false} {...props} />;
    case "number":
      return <NumberInput allowDecimal={false} min={1} {...props} />;
    case "secret":
      return <PasswordInput autoComplete="new-password" {...props} />;
    case "pem":
    case "key":
    case "headers":
      return <Textarea autosize minRows={field.input === "headers" ? 2 : PEM_ROWS} maxRows={8} {...props} />;
    default:
      return <TextInput autoComplete="off" spellCheck={false} {...props} />;
  }
}

type WhereProps = { choice: Choice; form: StreamForm; isNew: boolean };

/** Name and settings of the destination. */
export function WhereFields({ choice, form, isNew }: WhereProps) {
  const fields = FIELDS[CHOICES[choice].kind];
  const inputs = (isMinor: boolean) =>
    fields
      .filter((field) => Boolean(field.isMinor) === isMinor)
      .map((field) => <FieldInput key={field.name} field={field} form={form} isNew={isNew} />);
  const minor = inputs(true);
  const isRefused = fields.some(({ isMinor, name }) => isMinor && Boolean(form.field(name).error));
  return (
    <>
      <TextInput
        label="Name"
        description={choice === "archive" ? "Such as Archive" : "What receives the entries, such as SIEM"}
        required
        {...form.field("name")}
        data-autofocus
      />
      {inputs(false)}
      {minor.length > 0 && (
        <details className={classes.more} {...(isRefused && { open: true })}>
          <summary>More settings</summary>
          <Stack gap="lg" mt="md">
            {minor}
          </Stack>
        </details>
      )}
    </>
  );
}

const FORMAT_OPTIONS = STREAM_FORMAT_NAMES.map((value) => ({ value, label: STREAM_FORMATS[value].label }));

type WhatProps = {
  choice: Choice;
  of: ReturnType<typeof useStreamForm>;
  isNew: boolean;
};

/** Settings of a stream's entries: filter, format, and whether retention waits for them. */
export function WhatFields({ choice, of: { form, filter, rest }, isNew }: WhatProps) {
  const { allOrganizations } = useMe();
  const isArchive = choice === "archive";
  return (
    <>
      {isNew && <OrgSelect withAll={allOrganizations} {...form.field("orgId")} value={String(form.values.orgId)} />}
      {!isArchive && (
        <>
          <TextInput
            label="Filter"
            description="As in the search box of the log, such as result:denied or -action:agent.heartbeat; empty for every entry"
            placeholder="Every entry"
            spellCheck={false}
            {...form.field("filter")}
          />
          {rest.length > 0 && (
            <Text size="sm" c="dimmed" maw={640}>
              Also filtered by {rest.join(", ")}, as set through the API.
            </Text>
          )}
          <Checkbox label="Leave out routine agent telemetry" {...form.checkbox("routine")} />
          <Select
            label="Format"
            data={FORMAT_OPTIONS}
            allowDeselect={false}
            {...form.field("format")}
            value={String(form.values.format)}
          />
        </>
      )}
      <NumberInput
        label="Hold for retention"
        description={
          isArchive
            ? "How many days retention waits at most until an entry is archived and was read back"
            : "How many days retention waits at most until an entry is delivered; empty for not at all"
        }
        suffix=" days"
        min={1}
        max={365}
        allowDecimal={false}
        {...form.field("holdDays")}
      />
      {!isArchive && <Preview form={form} filter={filter} />}
    </>
  );
}

const TYPING_MS = 500;

function Preview({ form, filter }: { form: StreamForm; filter: Record<string, unknown> }) {
  const { format, orgId } = form.values;
  const [input] = useDebouncedValue(JSON.stringify({ format, filter, orgId: toOrgId(String(orgId)) }), TYPING_MS);
  const wanted = JSON.parse(input) as Pick<Stream, "format" | "filter"> & { orgId?: string };
  const query = useQuery(useTRPC().streams.preview.queryOptions(wanted, { placeholderData: keepPreviousData }));
  if (query.isError) return <Message tone="bad">{errorText(query.error)}</Message>;
  const lines = query.data?.lines ?? [];
  if (!query.data) return null;
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed" maw={640}>
        None of the newest entries matches.
      </Text>
    );
  return <CodeBlock label="The newest entries as they are sent" code={lines.join("\n")} />;
}
