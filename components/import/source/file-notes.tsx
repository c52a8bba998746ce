import { Anchor, Button, Group } from "@mantine/core";
import { counted } from "@/components/format/amounts";
import classes from "@/components/import/import.module.css";
import type { Outputs } from "@/components/trpc";
import { Message } from "@/components/ui/notice";
import { isImportable } from "@/server/custom-fields/import/plan-schema";
import type { ImportFile, ImportState } from "@/server/custom-fields/import/schema";

/** Notes from reading all rows, per file. */
export function ReadNotes({ state }: { state: ImportState }) {
  const notes = state.files.flatMap(({ name, notes }) =>
    (notes ?? []).map((note) => (state.files.length > 1 ? `${name}: ${note}` : note)),
  );
  return notes.length === 0 ? null : (
    <div className={classes.pad}>
      <ul className="tm-bullets" aria-label="How the file was read">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </div>
  );
}

type Props = {
  file: ImportFile;
  preview: Outputs["imports"]["preview"];
  onHeader: (headerRow: number) => void;
  isBusy: boolean;
};

/** Notes on how a file is read, and the question whether its first row is a header. */
export function FileNotes({ file, preview, onHeader, isBusy }: Props) {
  const hidden = preview.sheets.filter((sheet) => sheet.isHidden).map((sheet) => sheet.name);
  const notes = [
    ...(file.notes ?? preview.notes),
    ...(hidden.length > 0 ? [`Hidden sheets: ${hidden.join(", ")}.`] : []),
  ];
  const { headerRow } = preview.format;
  const isDoubtful = preview.headerDoubts.length > 0;
  if (notes.length === 0 && !isDoubtful) return null;
  return (
    <div className={classes.pad}>
      {isDoubtful && (
        <Message tone="warn">
          Is row {headerRow} a header? It may be a row of values: {preview.headerDoubts.join("; ")}; and none of its
          cells is a known column title of the product.
          <Group gap="sm" mt={8}>
            <Button variant="default" size="compact-sm" disabled={isBusy} onClick={() => onHeader(0)}>
              No, the file has no header
            </Button>
            <Button variant="default" size="compact-sm" disabled={isBusy} onClick={() => onHeader(headerRow)}>
              Yes, it is the header
            </Button>
          </Group>
        </Message>
      )}
      {notes.map((note) => (
        <p key={note} className={classes.quiet}>
          {note}
        </p>
      ))}
    </div>
  );
}

/** Fields of other scopes: not imported, but listed and downloadable. */
export function OtherScopes({ state }: { state: ImportState }) {
  const others = state.columns.filter((column) => !isImportable(column));
  if (others.length === 0) return null;
  const names = others.map((column) => `${column.title} (${column.declared?.scope})`).join(", ");
  return (
    <div className={classes.note}>
      <p>
        <strong>{counted(others.length, "field is", "fields are")} not imported.</strong> Only computer-scope fields are
        imported. Create these by hand as fields of an organization: {names}.
      </p>
      <Anchor href={`/api/v1/custom-fields/imports/${state.id}/other-scopes`} download fz="inherit">
        Download them as CSV
      </Anchor>
    </div>
  );
}
