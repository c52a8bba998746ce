"use client";

import { Button, Checkbox, FileButton, Group, NumberInput, Select, Skeleton } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { bytes } from "@/components/format/amounts";
import { ChoiceSelect } from "@/components/import/choice-select";
import classes from "@/components/import/import.module.css";
import { useChange } from "@/components/import/use-change";
import { type Outputs, useTRPC } from "@/components/trpc";
import { errorText, Failure, Message, problemOf } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import {
  DELIMITER_LABELS,
  ENCODING_LABELS,
  type FileFormat,
  type FormatChange,
  SHAPE_LABELS,
  SHAPES,
  type SheetInfo,
} from "@/server/custom-fields/import/read/file-schema";
import type { ImportFile } from "@/server/custom-fields/import/schema";
import { FileNotes } from "./file-notes";
import { ACCEPT } from "./uploads";

/** The first records in the file's own columns; for a list of fields, their names. */
function PreviewTable({
  name,
  preview,
  isStale,
}: {
  name: string;
  preview: Outputs["imports"]["preview"];
  isStale: boolean;
}) {
  if (preview.format.shape === "fields" && preview.rows.length === 0)
    return (
      <p className={classes.pad}>
        {preview.titles.length} fields: {preview.titles.slice(0, 30).join(", ")}
        {preview.titles.length > 30 ? " and more" : ""}
      </p>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={classes.rowsInSight} tabIndex={0} aria-label={`First rows of ${name}`}>
      <table className={classes.preview} data-stale={isStale || undefined}>
        <caption>First rows of {name}</caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            {preview.titles.map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row) => (
            <tr key={row.line} data-fault={row.fault !== null || undefined}>
              <th scope="row">{row.line}</th>
              {row.fault !== null ? (
                <td colSpan={preview.titles.length}>This row {row.fault}; it is reported, not applied.</td>
              ) : (
                preview.titles.map((title, i) => <td key={title}>{row.cells[i]}</td>)
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** True for errors that a retry would not change: the fault is the file's. */
export const isPermanent = (error: unknown): boolean =>
  ["validation_failed", "payload_too_large"].includes(problemOf(error)?.code ?? "");

/** change: the error of changing the format. */
type IsPermanentProps = { file: ImportFile; change: unknown; preview: { error: unknown; refetch: () => unknown } };

/** Reason that the first rows are missing. The user must fix the file, or reads it again. */
function PreviewError({ file, change, preview }: IsPermanentProps) {
  const error = change ?? preview.error;
  if (!error) return null;
  if (!change && !isPermanent(error))
    return <Failure error={error} onRetry={() => void preview.refetch()} what={`the first rows of ${file.name}`} />;
  const advice = file.format
    ? "Change how the file is read, or correct and replace it."
    : "Correct the file and replace it.";
  return (
    <div className={classes.pad}>
      <Message tone="bad">
        {errorText(error)}
        {isPermanent(error) && ` Nothing was imported. ${advice}`}
      </Message>
    </div>
  );
}

type Props = {
  importId: string;
  fileNo: number;
  file: ImportFile;
  isBusy: boolean;
  onReplace: (file: File) => void;
};

/** The first rows as the import will read them; the detected format can be changed. */
export function FilePreview({ importId, fileNo, file, isBusy, onReplace }: Props) {
  const trpc = useTRPC();
  const key = { id: importId, fileNo };
  const { scope, onSuccess } = useChange(importId, trpc.imports.preview.queryFilter(key));
  const preview = useQuery(trpc.imports.preview.queryOptions(key));
  const change = useMutation(trpc.imports.setFormat.mutationOptions({ scope, onSuccess }));
  // Shows the format even if reading fails with it, so that it can be changed.
  const format = file.format ?? preview.data?.format;
  const rows = preview.isError ? undefined : preview.data;
  return (
    <Section
      title={file.name}
      lead={`${bytes(file.size)}${preview.data?.format.gzip ? ", gzipped" : ""}`}
      action={<Replace name={file.name} isBusy={isBusy} onReplace={onReplace} />}
      flush
    >
      {preview.isPending && (
        <div className={classes.pad} role="status" aria-label="Reading the first rows">
          <Skeleton height={120} />
        </div>
      )}
      <PreviewError file={file} change={change.error} preview={preview} />
      {format && (
        <FormatFields
          format={format}
          sheets={preview.data?.sheets ?? []}
          onChange={(format) => change.mutate({ ...key, format })}
        />
      )}
      {rows && (
        <FileNotes
          file={file}
          preview={rows}
          onHeader={(headerRow) => change.mutate({ ...key, format: { headerRow } })}
          isBusy={change.isPending}
        />
      )}
      {rows && <PreviewTable name={file.name} preview={rows} isStale={change.isPending} />}
    </Section>
  );
}

/** A file that was uploaded only in part, because the page was left or the connection was lost. */
export function PartialFile({ name, isBusy, onReplace }: ReplaceProps) {
  return (
    <Section title={name} action={<Replace name={name} isBusy={isBusy} onReplace={onReplace} />}>
      <Message tone="warn">The upload is incomplete. Choose the file again.</Message>
    </Section>
  );
}

type ReplaceProps = { name: string; isBusy: boolean; onReplace: (file: File) => void };

function Replace({ name, isBusy, onReplace }: ReplaceProps) {
  return (
    <FileButton accept={ACCEPT} onChange={(file) => file && onReplace(file)} disabled={isBusy}>
      {(props) => (
        <Button variant="default" size="compact-sm" aria-label={`Replace ${name}`} {...props}>
          Replace
        </Button>
      )}
    </FileButton>
  );
}

type FormatProps = {
  format: FileFormat;
  sheets: readonly SheetInfo[];
  onChange: (change: FormatChange) => void;
};

function FormatFields({ format, sheets, onChange }: FormatProps) {
  if (format.kind === "json") return <p className={classes.pad}>JSON, {ENCODING_LABELS[format.encoding]}.</p>;
  return (
    <Group gap="md" className={classes.pad} align="flex-end">
      {format.kind === "text" && (
        <>
          <ChoiceSelect
            label="Encoding"
            w={150}
            labels={ENCODING_LABELS}
            value={format.encoding}
            onChange={(encoding) => onChange({ encoding })}
          />
          <ChoiceSelect
            label="Delimiter"
            w={130}
            labels={DELIMITER_LABELS}
            value={format.delimiter}
            onChange={(delimiter) => onChange({ delimiter })}
          />
        </>
      )}
      {sheets.length > 1 && (
        <Select
          label="Sheet"
          w={220}
          data={sheets.map(({ name, isHidden }) => ({ value: name, label: isHidden ? `${name} (hidden)` : name }))}
          value={format.sheet ?? sheets[0]?.name ?? null}
          onChange={(sheet) => sheet !== null && onChange({ sheet })}
          allowDeselect={false}
        />
      )}
      {format.kind === "workbook" && (
        <Checkbox
          label="Hidden rows and columns too"
          mb={8}
          checked={format.withHidden ?? false}
          onChange={(event) => onChange({ withHidden: event.currentTarget.checked })}
        />
      )}
      <NumberInput
        label="Header row"
        description="0 for none"
        w={100}
        min={0}
        max={100}
        allowDecimal={false}
        value={format.headerRow}
        onChange={(value) =>
          typeof value === "number" &&
          value >= 0 &&
          value <= 100 &&
          value !== format.headerRow &&
          onChange({ headerRow: value })
        }
      />
      <ChoiceSelect
        label="Shape"
        w={230}
        choices={SHAPES.filter((shape) => shape !== "rest")}
        labels={SHAPE_LABELS}
        value={format.shape}
        onChange={(shape) => onChange({ shape })}
      />
    </Group>
  );
}
