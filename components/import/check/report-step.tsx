"use client";

import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { Download, Undo2 } from "lucide-react";
import { useEffect } from "react";
import { count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import classes from "@/components/import/import.module.css";
import { JobProgress } from "@/components/import/job-progress";
import type { StepProps } from "@/components/import/steps";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { Fact } from "@/components/ui/facts";
import { Figures } from "@/components/ui/figures";
import { Message } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import {
  MATCHED_OUTCOMES,
  ROW_OUTCOME_LABELS,
  ROW_OUTCOMES,
  type RunReport,
} from "@/server/custom-fields/import/outcome-schema";
import type { ImportState, UndoReport } from "@/server/custom-fields/import/schema";
import { FieldTally } from "./check-result";
import { notReachedOf, writesOf } from "./sentence";

type Ended = Pick<ImportState, "status" | "error"> & { summary: Pick<ImportState["summary"], "undo"> };

function undoneText({ restored, leftAlone, sourceIdsRemoved }: UndoReport): string {
  const changed = leftAlone === 1 ? "it has been changed" : "they have been changed";
  const parts = [
    `${counted(restored, "value was", "values were")} restored`,
    leftAlone > 0 && `${counted(leftAlone, "was", "were")} left alone because ${changed} since`,
    sourceIdsRemoved > 0 && `${counted(sourceIdsRemoved, "source ID was", "source IDs were")} removed`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** Result of an import in one or two sentences; warn: not fully applied, or partly undone. */
export function verdictOf(
  { status, error, summary: { undo } }: Ended,
  report: Pick<RunReport, "fields">,
): { tone: "warn" | "plain"; text: string } {
  if (undo && status === "undone")
    return { tone: "warn", text: `This import was undone: ${undoneText(undo)}. The fields stay.` };
  if (undo)
    return {
      tone: "warn",
      text: `The undo ended before its last row: ${undoneText(undo)}. Undo again to restore the rest.`,
    };
  if (status === "cancelled") {
    const how = error === null ? "was cancelled before its end" : "ended before its last row";
    return { tone: "warn", text: `This import ${how}. What it had written is kept, and can be undone.` };
  }
  if (writesOf(report) === 0) return { tone: "plain", text: "No value was written. The counts below say why." };
  return { tone: "plain", text: "The import is complete." };
}

/** Progress of the run until there is a report. */
export function RunStep({ state, onStep }: StepProps) {
  const hasEnded = state.status === "done" || state.status === "cancelled";
  useEffect(() => {
    if (hasEnded) onStep("report");
  }, [hasEnded, onStep]);
  return state.job && <JobProgress id={state.id} job={state.job} />;
}

/** Counts of written and skipped values, a download of the skipped ones, and undo. */
export function ReportStep({ state }: StepProps) {
  const report = state.summary.run;
  if (!report) return null;
  const matched = MATCHED_OUTCOMES.reduce((sum, name) => sum + report.rows[name], 0);
  const { picked } = report;
  const isWhole = matched + picked === state.totalRows && report.fields.every((field) => field.invalid === 0);
  return (
    <>
      {state.job ? (
        <JobProgress id={state.id} job={state.job} />
      ) : (
        <div className={classes.pad}>
          <Verdict state={state} report={report} />
        </div>
      )}
      <Figures
        label="Result of the import"
        items={[
          { label: "Values written", value: count(writesOf(report)), note: readBackText(report) },
          { label: "Devices changed", value: count(report.devices) },
          { label: "Source IDs recorded", value: count(report.recordedSourceIds) },
          { label: "Rows", value: count(state.totalRows), note: state.finishedAt && <When at={state.finishedAt} /> },
        ]}
      />
      <Section title="Rows">
        <dl className={classes.counts}>
          {rowCounts(report, state.totalRows)
            .filter(({ rows }) => rows > 0)
            .map(({ label, rows }) => (
              <Fact key={label} name={label}>
                {count(rows)}
              </Fact>
            ))}
        </dl>
      </Section>
      <Section title="Fields" flush>
        {report.devices + matched + picked > 0 ? (
          <FieldTally state={state} fields={report.fields} />
        ) : (
          <p className={classes.pad}>No row matched, so no value was checked.</p>
        )}
      </Section>
      <Section title="Downloads" lead={downloadsLead(state, isWhole)}>
        <Group gap="sm">
          {!isWhole && (
            <FileLink href={`/api/v1/custom-fields/imports/${state.id}/rejected`}>Rows not applied (CSV)</FileLink>
          )}
          <FileLink href={`/api/v1/custom-fields/imports/${state.id}/outcomes`}>All outcomes (CSV)</FileLink>
        </Group>
      </Section>
      {(state.status === "done" || state.status === "cancelled") && !state.job && <Undo id={state.id} />}
    </>
  );
}

/** Explains the downloads; an undo does not change them. */
function downloadsLead({ summary }: StepProps["state"], isWhole: boolean): string {
  if (summary.undo) return "The rows as the run left them, before the undo.";
  return isWhole
    ? "Every row was applied."
    : "Correct the rows that were not applied and import that file again: what is already applied stays as it is.";
}

/** Rows by outcome, and those not reached; ambiguous rows are those without a picked device. */
function rowCounts(report: RunReport, totalRows: number): { label: string; rows: number }[] {
  const { rows, picked } = report;
  const counts = ROW_OUTCOMES.flatMap((name) => {
    const label = ROW_OUTCOME_LABELS[name];
    if (name !== "ambiguous") return { label, rows: rows[name] };
    return [
      { label: "Device picked", rows: picked },
      { label, rows: rows.ambiguous - picked },
    ];
  });
  return [...counts, { label: "Not reached", rows: notReachedOf(report, totalRows) }];
}

function readBackText(report: RunReport): string | null {
  if (!report.readBack) return null;
  const found = report.readBack.reduce((sum, field) => sum + field.found, 0);
  return `${count(found)} confirmed in the database`;
}

function Verdict({ state, report }: { state: StepProps["state"]; report: RunReport }) {
  const { tone, text } = verdictOf(state, report);
  return tone === "warn" ? <Message tone="warn">{text}</Message> : <Text fw={600}>{text}</Text>;
}

function FileLink({ href, children }: { href: string; children: string }) {
  return (
    <Button component="a" href={href} download variant="default" leftSection={<Download size={15} aria-hidden />}>
      {children}
    </Button>
  );
}

function Undo({ id }: { id: string }) {
  const trpc = useTRPC();
  const { scope, show } = useChange(id);
  const [isAsking, ask] = useDisclosure(false);
  const undo = useMutation(
    trpc.imports.undo.mutationOptions({
      scope,
      onSuccess: (next) => {
        ask.close();
        show(next);
      },
    }),
  );
  return (
    <Section
      title="Undo this import"
      lead="Restores what the devices held before, where nothing has changed since. The new fields stay."
    >
      <Button variant="default" leftSection={<Undo2 size={15} aria-hidden />} onClick={ask.open}>
        Undo this import
      </Button>
      {isAsking && (
        <Confirm
          title="Undo this import"
          action="Undo"
          isBusy={undo.isPending}
          error={undo.error}
          onConfirm={() => undo.mutate({ id })}
          onClose={ask.close}
        >
          Every value that this import wrote is restored to what it was, unless it has been changed since. The source
          IDs that it recorded are removed.
        </Confirm>
      )}
    </Section>
  );
}
