"use client";

import { Button, Group, NumberInput, Select, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message } from "@/components/ui/notice";
import {
  type Backtest,
  createRuleInput,
  type DetectionRule,
  type draftInput,
  updateRuleInput,
} from "@/server/detections/schema";
import { COUNT_BY } from "@/server/detections/vocabulary";
import { isObject, keysOf } from "@/server/ground/records";

const EMPTY = `title: Device deleted
level: medium
logsource:
  product: trailmark
detection:
  selection:
    action: device.delete
  condition: selection
`;
const BY = keysOf(COUNT_BY).map((value) => ({ value, label: `Each ${COUNT_BY[value].label}` }));

type Props = { rule?: DetectionRule; filter?: string; onClose: () => void };

/** The text of a rule, with a test over the last 30 days; from a list's filter by a form first. */
export function RuleDialog({ rule, filter, onClose }: Props) {
  const trpc = useTRPC();
  const { allOrganizations } = useMe();
  const defaultOrg = useDefaultOrg({ withAll: allOrganizations });
  const done = useDone(onClose, trpc.detections.pathFilter());
  const create = useMutation(trpc.detections.createRule.mutationOptions(done));
  const update = useMutation(trpc.detections.updateRule.mutationOptions(done));
  const form = useForm({ yaml: rule?.yaml ?? (filter ? "" : EMPTY), orgId: defaultOrg });
  const test = useMutation(trpc.detections.backtest.mutationOptions());
  const save = async ({ yaml, orgId }: typeof form.values) => {
    if (rule?.shipped) return onClose();
    if (rule) return form.send(updateRuleInput, update, { id: rule.id, yaml });
    return form.send(createRuleInput, create, { yaml, orgId: toOrgId(orgId) });
  };
  const orgId = rule ? rule.orgId : toOrgId(form.values.orgId);
  return (
    <FormDialog
      form={form}
      title={rule?.title ?? (filter ? "Save as alert" : "New rule")}
      action={rule ? (rule.shipped ? "Done" : "Save") : "Create rule"}
      onSubmit={save}
      onClose={onClose}
    >
      {rule?.description && <Text style={{ whiteSpace: "pre-line" }}>{rule.description}</Text>}
      {filter && <FromFilter filter={filter} onDraft={(yaml) => form.set("yaml", yaml)} />}
      {!rule && <OrgSelect withAll={allOrganizations} {...form.field("orgId")} />}
      <Textarea
        label="Rule"
        description="A part of Sigma 2.1, in YAML"
        autosize
        minRows={8}
        maxRows={18}
        readOnly={Boolean(rule?.shipped)}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        {...form.field("yaml")}
      />
      <Group gap="sm">
        <Button
          variant="default"
          loading={test.isPending}
          onClick={() => test.mutate({ yaml: form.values.yaml, orgId })}
        >
          Test over 30 days
        </Button>
        <Text size="sm" role="status">
          {test.data && resultOf(test.data)}
        </Text>
      </Group>
      {test.error && <Message tone="bad">{errorText(test.error)}</Message>}
      {test.data && test.data.samples.length > 0 && (
        <ul style={{ margin: 0, paddingInlineStart: 20, overflowWrap: "anywhere" }}>
          {test.data.samples.slice(0, 5).map((sample) => (
            <li key={`${sample.orgId} ${sample.entry.id}`}>{`${sample.at.slice(0, 10)}: ${sample.title}`}</li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

const resultOf = ({ alerts, complete }: Backtest): string => {
  const times = alerts === 0 ? "no alert" : alerts === 1 ? "1 alert" : `${alerts} alerts`;
  return `It would have raised ${times} in the last 30 days${complete ? "." : ", as far as it was read in a minute."}`;
};

/** The questions that the list's filter leaves open: a name, and the number of entries. */
function FromFilter({ filter, onDraft }: { filter: string; onDraft: (yaml: string) => void }) {
  const [title, setTitle] = useState("");
  const [atLeast, setAtLeast] = useState<number | string>(1);
  const [minutes, setMinutes] = useState<number | string>(10);
  const [by, setBy] = useState<keyof typeof COUNT_BY | null>("person");
  const draft = useMutation(useTRPC().detections.draft.mutationOptions({ onSuccess: ({ yaml }) => onDraft(yaml) }));
  const write = () =>
    draft.mutate({
      title,
      filter: filterOf(filter),
      threshold: Number(atLeast) > 1 ? { atLeast: Number(atLeast), minutes: Number(minutes), by } : null,
    });
  return (
    <>
      <TextInput label="Name" required value={title} onChange={(event) => setTitle(event.currentTarget.value)} />
      <Group grow align="end">
        <NumberInput label="At least" suffix=" entries" min={1} max={1_000} value={atLeast} onChange={setAtLeast} />
        <NumberInput label="Within" suffix=" minutes" min={1} max={10_080} value={minutes} onChange={setMinutes} />
        <Select label="Counted for" data={BY} value={by} onChange={setBy} placeholder="All together" clearable />
      </Group>
      {draft.error && <Message tone="bad">{errorText(draft.error)}</Message>}
      <Button variant="default" loading={draft.isPending} onClick={write}>
        Write the rule
      </Button>
    </>
  );
}

type Filter = z.input<typeof draftInput>["filter"];

/** The list's input in the address; what somebody altered there is refused by the server. */
function filterOf(text: string): Filter {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Filter) : {};
  } catch {
    return {};
  }
}
