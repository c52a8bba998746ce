"use client";

import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import shared from "@/components/import/import.module.css";
import { OtherScopes, ReadNotes } from "@/components/import/source/file-notes";
import type { StepProps } from "@/components/import/steps";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { fieldColumns, NotSaved, useFaults } from "./faults";
import { FieldRow } from "./field-row";
import classes from "./fields.module.css";
import { useTargets } from "./target-select";

/** States that the mapping is from an earlier file with the same columns, with a button to ignore it. */
function SavedMappingNote({ state, flush }: { state: ImportState; flush: () => Promise<unknown> }) {
  const trpc = useTRPC();
  const { scope, onSuccess } = useChange(state.id, trpc.imports.faults.queryFilter({ id: state.id }));
  const ignore = useMutation(trpc.imports.ignoreMapping.mutationOptions({ scope, onSuccess }));
  const { mappingFrom } = state.summary;
  if (!mappingFrom || state.startedAt) return null;
  return (
    <div className={shared.note}>
      <p>
        <strong>You have mapped these columns before.</strong> The mapping of <When at={mappingFrom} /> is filled in.
      </p>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => void flush().then(() => ignore.mutate({ id: state.id }))}
        loading={ignore.isPending}
      >
        Ignore saved mapping
      </Button>
      {ignore.error && <Message tone="bad">{errorText(ignore.error)}</Message>}
    </div>
  );
}

/** Maps each source field to a field here. */
export function FieldsStep({ state, onStep, draft }: StepProps) {
  const targets = useTargets(draft.plan);
  const faults = useFaults(state, draft.plan);
  const [isBlocked, setIsBlocked] = useState(false);
  const rows = fieldColumns(state, draft.plan);
  const chosen = rows.filter(({ field }) => field.action !== "skip").length;
  const unresolved = rows.filter(({ field }) => faults.columnFault(field.column) !== null);
  const next = async () => {
    await draft.flush();
    const open = (await faults.refresh()).filter(({ path }) => path.startsWith("fields."));
    setIsBlocked(open.length > 0);
    if (open.length === 0) onStep("values");
  };
  return (
    <>
      <p className={shared.lead}>
        {counted(rows.length, "field")} in the file, {count(chosen)} to be imported, from{" "}
        {counted(state.totalRows, "row")}.{" "}
        {targets.mayDefine
          ? "New fields belong to All organizations; their types are guessed from the values."
          : "You can see only some organizations, so values can go only into existing fields."}{" "}
        Fields named or marked as secrets are left out unless you choose them.
      </p>
      <ReadNotes state={state} />
      <SavedMappingNote state={state} flush={draft.flush} />
      <OtherScopes state={state} />
      <div className={classes.columns} aria-hidden>
        <span>Field of the file</span>
        <span className={classes.target}>
          <span>Destination</span>
          <span>Name</span>
          <span>Key</span>
          <span>Type</span>
        </span>
      </div>
      <ul className={classes.fields} aria-label="Fields of the file">
        {rows.map(({ field, column }) => (
          <FieldRow
            key={field.column}
            column={column}
            field={field}
            targets={targets}
            fault={faults.columnFault(field.column)}
            unknown={field.type === "dropdown" ? faults.unknownChoices(field.column) : null}
            getPlan={draft.getPlan}
            changeField={draft.changeField}
          />
        ))}
      </ul>
      <div className={shared.foot}>
        <Button type="submit" onClick={() => void next()}>
          Continue
        </Button>
        <NotSaved draft={draft} state={state} />
        {isBlocked && unresolved.length > 0 && (
          <Message tone="bad">
            Resolve {counted(unresolved.length, "field")} first:{" "}
            {unresolved
              .slice(0, 5)
              .map(({ column }) => column.title)
              .join(", ")}
            .
          </Message>
        )}
      </div>
    </>
  );
}
