"use client";

import { Button, Checkbox, Group, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "@/components/format/amounts";
import shared from "@/components/import/import.module.css";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import { activeFields } from "@/server/custom-fields/import/plan-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import classes from "./check.module.css";

/** Find and replace in one column, with undo of the last change. The uploaded file itself is not changed. */
export function FixValues({ state }: { state: ImportState }) {
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
    <details className={classes.fix}>
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
