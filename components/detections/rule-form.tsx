"use client";

import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message } from "@/components/ui/notice";
import { FIRST_SEEN, FIRST_SEEN_LABEL, RESULT_LABEL, RESULTS } from "@/server/audit/vocabulary";
import type { draftInput } from "@/server/detections/schema";
import { COUNT_BY, LEVELS, type Level } from "@/server/detections/vocabulary";
import { isObject, keysOf } from "@/server/ground/records";
import { capitalized } from "@/server/ground/text";

type Draft = z.input<typeof draftInput>;
type Filter = Draft["filter"];
type CountBy = keyof typeof COUNT_BY;

const SETTLED_MS = 300;
const LEVEL_OPTIONS = LEVELS.map((value) => ({ value, label: capitalized(value) }));
const RESULT_OPTIONS = RESULTS.map((value) => ({ value, label: RESULT_LABEL[value] }));
const NEW_OPTIONS = FIRST_SEEN.map((value) => ({ value, label: FIRST_SEEN_LABEL[value] }));
const BY = keysOf(COUNT_BY).map((value) => ({ value, label: `Each ${COUNT_BY[value].label}` }));
const OF = keysOf(COUNT_BY).map((value) => ({ value, label: `Different ${COUNT_BY[value].plural}` }));

/** Entries of a rule created without a list. */
type Narrowing = { action: string; user: string; device: string; result: string | null; new: string | null };
const NO_NARROWING: Narrowing = { action: "", user: "", device: "", result: null, new: null };

const toFilter = (narrowing: Narrowing): Filter =>
  Object.fromEntries(Object.entries(narrowing).flatMap(([name, value]) => (value ? [[name, [value]]] : [])));

/** Filter in the address; the server refuses an invalid one. */
function filterOf(text: string): Filter {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Filter) : {};
  } catch {
    return {};
  }
}

type Begun = { title: string; level: Level; filter: string | undefined };

/** Values of the rule form, and the text that the server generates from them. */
export function useRuleForm({ title, level, filter }: Begun) {
  const form = useForm({
    ...{ title, level, ...NO_NARROWING },
    ...{ atLeast: 1 as number | string, minutes: 10 as number | string },
    ...{ by: "person" as CountBy | null, distinct: null as CountBy | null },
  });
  const [settled] = useDebouncedValue(form.values, SETTLED_MS);
  const { atLeast, minutes, by, distinct, title: name, level: chosen, ...narrowing } = settled;
  const own = toFilter(narrowing);
  const threshold = Number(atLeast) > 1 ? { atLeast: Number(atLeast), minutes: Number(minutes), by, distinct } : null;
  const draft: Draft = {
    ...{ title: name.trim() || "New rule", level: chosen, threshold },
    filter: filter ? filterOf(filter) : own,
  };
  const narrows = Boolean(filter) || Object.keys(own).length > 0 || threshold !== null;
  const trpc = useTRPC();
  const written = useQuery(
    trpc.detections.draft.queryOptions(narrows ? draft : skipToken, { placeholderData: keepPreviousData }),
  );
  return { form, isCounted: Number(form.values.atLeast) > 1, written };
}

type Props = { of: ReturnType<typeof useRuleForm>; hasFilter: boolean; isByHand: boolean; onWrite: () => void };

/** Form that generates a rule; leaves an edited text alone until told otherwise. */
export function RuleForm({ of: { form, isCounted, written }, hasFilter, isByHand, onWrite }: Props) {
  const { field, values } = form;
  const counted = { clearable: true, disabled: !isCounted };
  return (
    <Stack gap="md">
      {isByHand && (
        <Group gap="sm">
          <Text size="sm" c="dimmed" flex={1}>
            The rule is written by hand. This form shows only what it can express, and does not change it.
          </Text>
          <Button variant="default" size="xs" onClick={onWrite}>
            Write it from the form
          </Button>
        </Group>
      )}
      <SimpleGrid cols={2}>
        <TextInput label="Name" data-autofocus placeholder="New rule" {...field("title")} />
        <Select label="Level" data={LEVEL_OPTIONS} allowDeselect={false} {...field("level")} />
      </SimpleGrid>
      {hasFilter ? (
        <Text size="sm" c="dimmed">
          The list's filter is part of the rule.
        </Text>
      ) : (
        <SimpleGrid cols={2}>
          <TextInput label="Action contains" placeholder="device.delete" {...field("action")} />
          <Select label="Result" data={RESULT_OPTIONS} clearable placeholder="Any" {...field("result")} />
          <TextInput label="Actor contains" placeholder="Anybody" {...field("user")} />
          <TextInput label="Device contains" placeholder="Any" {...field("device")} />
          <Select label="First seen" data={NEW_OPTIONS} clearable placeholder="Anything" {...field("new")} />
        </SimpleGrid>
      )}
      <SimpleGrid cols={2}>
        <NumberInput
          label="At least"
          suffix={values.distinct ? "" : isCounted ? " entries" : " entry"}
          min={1}
          max={1_000}
          {...field("atLeast")}
        />
        <NumberInput
          label="Within"
          suffix=" minutes"
          min={1}
          max={10_080}
          disabled={!isCounted}
          {...field("minutes")}
        />
        <Select label="Counted for" data={BY} placeholder="All together" {...counted} {...field("by")} />
        <Select label="What is counted" data={OF} placeholder="Entries" {...counted} {...field("distinct")} />
      </SimpleGrid>
      {written.error && <Message tone="bad">{errorText(written.error)}</Message>}
    </Stack>
  );
}
