"use client";

import { Button, Group, SimpleGrid, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message } from "@/components/ui/notice";
import { type Backtest, createRuleInput, type DetectionRule, updateRuleInput } from "@/server/detections/schema";
import { Exceptions } from "./exceptions";
import { RuleForm, useRuleForm } from "./rule-form";

type Props = { rule?: DetectionRule; filter?: string; onClose: () => void };

/** A rule as a form beside its text, with a test over the last 30 days. */
export function RuleDialog({ rule, filter, onClose }: Props) {
  const trpc = useTRPC();
  const { allOrganizations } = useMe();
  const defaultOrg = useDefaultOrg({ withAll: allOrganizations });
  const done = useDone(onClose, trpc.detections.pathFilter());
  const create = useMutation(trpc.detections.createRule.mutationOptions(done));
  const update = useMutation(trpc.detections.updateRule.mutationOptions(done));
  const form = useForm({ yaml: "", orgId: defaultOrg });
  const written = useRuleForm({ title: rule?.title ?? "", level: rule?.level ?? "medium", filter });
  const [byHand, setByHand] = useState(rule?.yaml ?? null);
  const yaml = byHand ?? written.written.data?.yaml ?? "";
  const save = async ({ orgId }: typeof form.values) => {
    if (rule?.shipped) return onClose();
    if (rule) return form.send(updateRuleInput, update, { id: rule.id, yaml });
    return form.send(createRuleInput, create, { yaml, orgId: toOrgId(orgId) });
  };
  const text = (
    <Textarea
      label="Rule"
      description="A part of Sigma 2.1, in YAML"
      placeholder="Fill in the form, or write a rule here."
      autosize
      minRows={14}
      maxRows={22}
      readOnly={Boolean(rule?.shipped)}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      {...form.field("yaml")}
      value={yaml}
      onChange={(event) => setByHand(event.currentTarget.value)}
    />
  );
  return (
    <FormDialog
      form={form}
      title={rule?.title ?? (filter ? "Save as alert" : "New rule")}
      action={rule ? (rule.shipped ? "Done" : "Save") : "Create rule"}
      size={rule?.shipped ? "lg" : 1080}
      onSubmit={save}
      onClose={onClose}
    >
      {rule?.description && <Text style={{ whiteSpace: "pre-line" }}>{rule.description}</Text>}
      {rule?.shipped ? (
        text
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Stack gap="md">
            {!rule && <OrgSelect withAll={allOrganizations} {...form.field("orgId")} />}
            <RuleForm
              of={written}
              hasFilter={Boolean(filter)}
              isByHand={byHand !== null}
              onWrite={() => setByHand(null)}
            />
          </Stack>
          {text}
        </SimpleGrid>
      )}
      {rule && <Exceptions ruleId={rule.id} />}
      <Test yaml={yaml} orgId={rule ? rule.orgId : toOrgId(form.values.orgId)} />
    </FormDialog>
  );
}

const resultOf = ({ alerts, complete }: Backtest): string => {
  const times = alerts === 0 ? "no alert" : alerts === 1 ? "1 alert" : `${alerts} alerts`;
  return `It would have raised ${times} in the last 30 days${complete ? "." : ", as far as it was read in a minute."}`;
};

function Test(input: { yaml: string; orgId: string | null | undefined }) {
  const test = useMutation(useTRPC().detections.backtest.mutationOptions());
  return (
    <>
      <Group gap="sm">
        <Button variant="default" loading={test.isPending} disabled={!input.yaml} onClick={() => test.mutate(input)}>
          Test over 30 days
        </Button>
        <Text size="sm" role="status">
          {test.data && resultOf(test.data)}
        </Text>
      </Group>
      {test.error && <Message tone="bad">{errorText(test.error)}</Message>}
      {test.data && test.data.samples.length > 0 && (
        <ul className="tm-bullets">
          {test.data.samples.slice(0, 5).map((sample) => (
            <li key={`${sample.orgId} ${sample.entry.id}`}>{`${sample.at.slice(0, 10)}: ${sample.title}`}</li>
          ))}
        </ul>
      )}
    </>
  );
}
