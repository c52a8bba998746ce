"use client";

import { ActionIcon, Button, Group, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import type { ImportRow } from "@/server/custom-fields/import/outcome-schema";
import { VALUE_OUTCOME_LABELS, type ValueOutcome } from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import type { FieldValue } from "@/server/custom-fields/schema";
import classes from "./check.module.css";
import { newValueText } from "./sentence";

/** Outcomes for which the device's current value is shown beside the new one. */
const COMPARED_OUTCOMES: ReadonlySet<ValueOutcome> = new Set(["set", "overwrite", "clear", "same", "kept"]);

const valueText = (held: FieldValue | null): string =>
  held === null ? "nothing" : typeof held === "boolean" ? (held ? "Yes" : "No") : String(held);

/** The values of a row: the file's beside the device's, editable before the run. */
export function RowValues({ state, row }: { state: ImportState; row: ImportRow }) {
  const [edited, setEdited] = useState<number | null>(null);
  const names = new Map(state.plan?.fields.map((field) => [field.fieldId, field.name]));
  const mayEdit = state.status === "checked" && row.outcome !== "unreadable";
  return (
    <dl className={classes.values}>
      {row.cells.map((cell) => {
        const name = names.get(cell.fieldId) ?? "Deleted field";
        return (
          <div key={cell.fieldId} data-bad={cell.outcome === "invalid" || undefined}>
            <dt>{name}</dt>
            <dd>
              {edited === cell.column ? (
                <EditValue state={state} row={row} name={name} cell={cell} onDone={() => setEdited(null)} />
              ) : (
                <Group gap={4} wrap="nowrap">
                  <span data-blank={cell.text === "" || undefined}>{cell.text || "Blank"}</span>
                  {mayEdit && (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size="sm"
                      aria-label={`Edit ${name}`}
                      onClick={() => setEdited(cell.column)}
                    >
                      <Pencil size={13} aria-hidden />
                    </ActionIcon>
                  )}
                </Group>
              )}
              {cell.outcome !== "none" && (
                <small>
                  {VALUE_OUTCOME_LABELS[cell.outcome]}
                  {cell.reason ? `: the value ${cell.reason}` : ""}
                </small>
              )}
              {COMPARED_OUTCOMES.has(cell.outcome) && (
                <Compared cell={cell} applied={row.applied} isUndone={state.summary.undo !== undefined} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

type ComparedProps = { cell: ImportRow["cells"][number]; applied: boolean | null; isUndone: boolean };

/** The device's current value compared with its value after the run. */
function Compared({ cell, applied, isUndone }: ComparedProps) {
  const [held, value] = [valueText(cell.held), valueText(cell.value)];
  if (cell.outcome === "same") return <small>The device already holds {held}.</small>;
  return (
    <span className={classes.compared}>
      <small>{applied && cell.outcome !== "kept" ? "Held before" : "Device holds"}</small>
      <span data-blank={cell.held === null || undefined}>{held}</span>
      <small>New value, {newValueText(cell.outcome, { applied, isUndone })}</small>
      <span data-blank={cell.value === null || undefined}>{value}</span>
    </span>
  );
}

type EditProps = {
  state: ImportState;
  row: ImportRow;
  name: string;
  cell: ImportRow["cells"][number];
  onDone: () => void;
};

function EditValue({ state, row, name, cell, onDone }: EditProps) {
  const trpc = useTRPC();
  const { scope, onSuccess } = useChange(state.id, trpc.imports.rows.pathFilter());
  const [value, setValue] = useState(cell.isSecret ? "" : cell.text);
  const save = useMutation(
    trpc.imports.edit.mutationOptions({
      scope,
      onSuccess: async (next) => {
        await onSuccess(next);
        onDone();
      },
    }),
  );
  const send = () =>
    save.mutate({ id: state.id, edit: { kind: "cell", rowNo: row.rowNo, column: cell.column, value } });
  return (
    <>
      <Group gap={6} align="flex-start" wrap="nowrap">
        <TextInput
          size="xs"
          aria-label={`New value of ${name}`}
          value={value}
          data-autofocus
          autoFocus
          onChange={(event) => setValue(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") send();
            if (event.key === "Escape") {
              event.stopPropagation();
              onDone();
            }
          }}
        />
        <Button size="xs" onClick={send} loading={save.isPending}>
          Save
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
      {save.error && <Message tone="bad">{errorText(save.error)}</Message>}
    </>
  );
}
