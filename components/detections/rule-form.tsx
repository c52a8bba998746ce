"use client";

import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import { useTRPC } from "@/components/trpc";
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
  const [values, setValues] = useState({
    ...{ title, level, ...NO_NARROWING },
    ...{ atLeast: 1 as number | string, minutes: 10 as number | string },
    ...{ by: "person" as CountBy | null, distinct: null as CountBy | null },
  });
  const { atLeast, minutes, by, distinct, title: name, level: chosen, ...narrowing } = values;
  const own = toFilter(narrowing);
  const isCounted = Number(atLeast) > 1;
  const draft: Draft = {
    ...{ title: name.trim() || "New rule", level: chosen },
    filter: filter ? filterOf(filter) : own,
    threshold: isCounted ? { atLeast: Number(atLeast), minutes: Number(minutes), by, distinct } : null,
  };
  const narrows = Boolean(filter) || Object.keys(own).length > 0 || isCounted;
  const [settled] = useDebouncedValue(narrows ? draft : null, SETTLED_MS);
  const trpc = useTRPC();
  const written = useQuery(
    trpc.detections.draft.queryOptions(settled ?? skipToken, { placeholderData: keepPreviousData }),
  );
  return {
    values,
    set: (more: Partial<typeof values>) => setValues((all) => ({ ...all, ...more })),
    isCounted,
    written,
  };
}

type Props = { form: ReturnType<typeof useRuleForm>; hasFilter: boolean; isByHand: boolean; onWrite: () => void };

/** Form that generates a rule; leaves an edited text alone until told otherwise. */
export function RuleForm({ form: { values, set, isCounted, written }, hasFilter, isByHand, onWrite }: Props) {
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
        <TextInput
          label="Name"
          data-autofocus
          value={values.title}
          placeholder="New rule"
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
        <Select
          label="Level"
          data={LEVEL_OPTIONS}
          allowDeselect={false}
          value={values.level}
          onChange={(level) => level && set({ level })}
        />
      </SimpleGrid>
      {hasFilter ? (
        <Text size="sm" c="dimmed">
          The list's filter is part of the rule.
        </Text>
      ) : (
        <Narrow values={values} set={set} />
      )}
      <SimpleGrid cols={2}>
        <NumberInput
          label="At least"
          suffix={values.distinct ? "" : isCounted ? " entries" : " entry"}
          min={1}
          max={1_000}
          value={values.atLeast}
          onChange={(atLeast) => set({ atLeast })}
        />
        <NumberInput
          label="Within"
          suffix=" minutes"
          min={1}
          max={10_080}
          disabled={!isCounted}
          value={values.minutes}
          onChange={(minutes) => set({ minutes })}
        />
        <Select
          label="Counted for"
          data={BY}
          clearable
          placeholder="All together"
          disabled={!isCounted}
          value={values.by}
          onChange={(by) => set({ by })}
        />
        <Select
          label="What is counted"
          data={OF}
          clearable
          placeholder="Entries"
          disabled={!isCounted}
          value={values.distinct}
          onChange={(distinct) => set({ distinct })}
        />
      </SimpleGrid>
      {written.error && <Message tone="bad">{errorText(written.error)}</Message>}
    </Stack>
  );
}

function Narrow({ values, set }: { values: Narrowing; set: (more: Partial<Narrowing>) => void }) {
  return (
    <SimpleGrid cols={2}>
      <TextInput
        label="Action contains"
        placeholder="device.delete"
        value={values.action}
        onChange={(event) => set({ action: event.currentTarget.value })}
      />
      <Select
        label="Result"
        data={RESULT_OPTIONS}
        clearable
        placeholder="Any"
        value={values.result}
        onChange={(result) => set({ result })}
      />
      <TextInput
        label="Actor contains"
        placeholder="Anybody"
        value={values.user}
        onChange={(event) => set({ user: event.currentTarget.value })}
      />
      <TextInput
        label="Device contains"
        placeholder="Any"
        value={values.device}
        onChange={(event) => set({ device: event.currentTarget.value })}
      />
      <Select
        label="First seen"
        data={NEW_OPTIONS}
        clearable
        placeholder="Anything"
        value={values.new}
        onChange={(value) => set({ new: value })}
      />
    </SimpleGrid>
  );
}
