import { Button, Group } from "@mantine/core";
import classes from "@/components/import/import.module.css";
import type { Outputs } from "@/components/trpc";
import { Message } from "@/components/ui/message";

type Props = {
  preview: Outputs["imports"]["preview"];
  onHeader: (headerRow: number) => void;
  isBusy: boolean;
};

/** What a person should know of how a file is read, and the question whether its first row is a header. */
export function FileNotes({ preview, onHeader, isBusy }: Props) {
  const hidden = preview.sheets.filter((sheet) => sheet.isHidden).map((sheet) => sheet.name);
  const notes = [...preview.notes, ...(hidden.length > 0 ? [`Hidden sheets: ${hidden.join(", ")}.`] : [])];
  if (notes.length === 0 && !preview.isHeaderDoubtful) return null;
  return (
    <div className={classes.pad}>
      {preview.isHeaderDoubtful && (
        <Message tone="warn">
          The first row looks like values: {preview.titles.slice(0, 4).join(", ")}. Does it name the columns?
          <Group gap="sm" mt={8}>
            <Button variant="default" size="compact-sm" disabled={isBusy} onClick={() => onHeader(0)}>
              No, the file has no header
            </Button>
            <Button
              variant="default"
              size="compact-sm"
              disabled={isBusy}
              onClick={() => onHeader(preview.format.headerRow)}
            >
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
