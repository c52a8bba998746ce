"use client";

import { Box, Button, Checkbox, Group, Select, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useId, useState } from "react";
import { count, counted } from "@/components/format/amounts";
import shared from "@/components/import/import.module.css";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import {
  type FieldCounts,
  ROW_OUTCOME_LABELS,
  ROW_OUTCOMES,
  type RowOutcome,
  type Tally,
  VALUE_OUTCOME_LABELS,
  VALUE_OUTCOMES,
  type ValueOutcome,
} from "@/server/custom-fields/import/outcome-schema";
import { activeFields } from "@/server/custom-fields/import/plan-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { keysOf } from "@/server/ground/records";
import classes from "./check.module.css";
import { CheckTable, ROW_TONE, VALUE_TONE } from "./check-table";
import { sentenceOf, sumOf } from "./sentence";

type Props<T extends string> = {
  label: string;
  labels: Record<T, string>;
  tones: Record<T, Tone | null>;
  counts: Record<T, number>;
  chosen: T | null;
  onChoose: (name: T | null) => void;
};

/** Counts that filter the table below; clicking one again clears the filter. */
function OutcomeChips<T extends string>({ label, labels, tones, counts, chosen, onChoose }: Props<T>) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls; these are filters
    <div className={classes.chips} role="group" aria-labelledby={id}>
      <span id={id}>{label}</span>
      {keysOf(labels)
        .filter((name) => counts[name] > 0 || name === chosen)
        .map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            onClick={() => onChoose(name === chosen ? null : name)}
          >
            {tones[name] ? <StateTag tone={tones[name]}>{labels[name]}</StateTag> : <span>{labels[name]}</span>}
            <strong className="tm-figures">{count(counts[name])}</strong>
          </button>
        ))}
    </div>
  );
}

/** Find and replace in one column, with undo of the last change. The uploaded file itself is not changed. */
function FixValues({ state }: { state: ImportState }) {
  const trpc = useTRPC();
  const { scope, onSuccess } = useChange(state.id, trpc.imports.rows.pathFilter());
  const columns = state.plan ? activeFields(state.plan) : [];
  const [column, setColumn] = useState(String(columns[0]?.column ?? 0));
  const [find, setFind] = useState("");
  const [replace, setReplace] = useState("");
  const [isWhole, setWhole] = useState(true);
  const edit = useMutation(trpc.imports.edit.mutationOptions({ scope, onSuccess }));
  const undo = useMutation(trpc.imports.undoEdit.mutationOptions({ scope, onSuccess }));
  const last = state.summary.edits?.at(-1);
  const match = isWhole ? ("cell" as const) : ("part" as const);
  return (
    <details className={`${shared.pad} ${classes.fix}`}>
      <summary>Find and replace</summary>
      <Group gap="sm" align="flex-end">
        <Select
          label="Column"
          w={200}
          data={columns.map((field) => ({
            value: String(field.column),
            label: state.columns[field.column]?.title ?? field.name,
          }))}
          value={column}
          onChange={(value) => value !== null && setColumn(value)}
          allowDeselect={false}
        />
        <TextInput label="Find" w={180} value={find} onChange={(event) => setFind(event.currentTarget.value)} />
        <TextInput
          label="Replace with"
          w={180}
          value={replace}
          onChange={(event) => setReplace(event.currentTarget.value)}
        />
        <Checkbox
          label="Whole values only"
          checked={isWhole}
          mb={8}
          onChange={(event) => setWhole(event.currentTarget.checked)}
        />
        <Button
          variant="default"
          loading={edit.isPending}
          disabled={!isWhole && find === ""}
          onClick={() =>
            edit.mutate({ id: state.id, edit: { kind: "replace", column: Number(column), find, replace, match } })
          }
        >
          Replace
        </Button>
      </Group>
      {(edit.error ?? undo.error) && <Message tone="bad">{errorText(edit.error ?? undo.error)}</Message>}
      {last && (
        <p className={shared.quiet}>
          Last change: {counted(last.rows, "value")} of {state.columns[last.column]?.title}.{" "}
          <Button
            variant="default"
            size="compact-sm"
            loading={undo.isPending}
            onClick={() => undo.mutate({ id: state.id })}
          >
            Undo this change
          </Button>
        </p>
      )}
    </details>
  );
}

const SHOWN: ValueOutcome[] = ["set", "overwrite", "clear", "same", "kept", "invalid", "left_out", "empty"];

/** Counts per field; outcomes that do not occur are omitted. */
export function FieldTally({ state, fields }: { state: ImportState; fields: readonly FieldCounts[] }) {
  const names = new Map(state.plan?.fields.map((field) => [field.fieldId, field.name]));
  const outcomes = SHOWN.filter((name) => fields.some((field) => field[name] > 0));
  if (outcomes.length === 0) return null;
  const columns: Column<FieldCounts>[] = [
    { header: "Field", cell: (field) => names.get(field.fieldId) ?? "Deleted field" },
    ...outcomes.map((name) => ({
      header: VALUE_OUTCOME_LABELS[name],
      width: 104,
      align: "figure" as const,
      cell: (field: FieldCounts) => (
        <span
          className={classes.figure}
          data-zero={field[name] === 0 || undefined}
          data-bad={(name === "invalid" && field[name] > 0) || undefined}
        >
          {count(field[name])}
        </span>
      ),
    })),
  ];
  return <RecordTable caption="Values by field" columns={columns} rows={[...fields]} rowKey={(f) => f.fieldId} />;
}

const MEANING: Partial<Record<RowOutcome, string>> = {
  not_found:
    "No device matches these computers. This is normal: inventories keep machines that were retired long ago, and devices without an agent are not listed here yet.",
  ambiguous: "More than one device matches. Open a row to pick the right one; rows without a pick are skipped.",
  identity_conflict:
    "The file and what is recorded here contradict each other. These rows are reported, never applied.",
  unreadable: "Each of these rows says why it could not be read. Correct them in the file and upload it again.",
};

/** The result of a check or run: one sentence, counts that filter the table, the rows, and totals per field. */
export function CheckResult({ state, tally }: { state: ImportState; tally: Tally }) {
  const [filter, setFilter] = useQueryStates({
    rows: parseAsStringLiteral(ROW_OUTCOMES),
    values: parseAsStringLiteral(VALUE_OUTCOMES),
    search: parseAsString.withDefault(""),
  });
  const values = sumOf(tally);
  return (
    <>
      <p className={shared.lead} role="status">
        {sentenceOf(state, tally)}
      </p>
      <Stack gap={10} className={shared.pad}>
        <OutcomeChips
          label="Rows"
          labels={ROW_OUTCOME_LABELS}
          tones={ROW_TONE}
          counts={tally.rows}
          chosen={filter.rows}
          onChoose={(rows) => void setFilter({ rows })}
        />
        <OutcomeChips
          label="Values"
          labels={VALUE_OUTCOME_LABELS}
          tones={VALUE_TONE}
          counts={values}
          chosen={filter.values}
          onChoose={(chosen) => void setFilter({ values: chosen })}
        />
        {filter.rows && MEANING[filter.rows] && <p className={shared.quiet}>{MEANING[filter.rows]}</p>}
      </Stack>
      {state.status === "checked" && <FixValues state={state} />}
      <Box className={shared.pad} maw={420}>
        <SearchField
          label="Search rows by computer, ID or value"
          value={filter.search}
          onSearch={(search) => void setFilter({ search: search || null })}
        />
      </Box>
      <CheckTable state={state} outcome={filter.rows} value={filter.values} search={filter.search} />
      <Section title="Values by field" flush>
        <FieldTally state={state} fields={tally.fields} />
      </Section>
    </>
  );
}
