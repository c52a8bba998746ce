"use client";

import { Button, FileButton } from "@mantine/core";
import { FileUp } from "lucide-react";
import { type DragEvent, useState } from "react";
import { count } from "@/components/format/amounts";
import classes from "@/components/import/import.module.css";
import { MAX_IMPORT_COLUMNS, MAX_IMPORT_ROWS } from "@/server/custom-fields/import/plan-schema";
import { ACCEPT } from "./uploads";

type DropProps = { onFiles: (files: File[]) => void; isBusy: boolean; isFull: boolean };

/** Accepts dropped or chosen files, and states their limits. */
export function DropArea({ onFiles, isBusy, isFull }: DropProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isBusy && !isFull) onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a drop target for the mouse; the button inside is accessible
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp size={22} strokeWidth={1.5} aria-hidden />
      <p>
        <strong>Drop files here</strong>
        <br />
        <span className={classes.quiet}>
          CSV, TSV or JSON, also gzipped, or Excel or OpenDocument. At most {count(MAX_IMPORT_ROWS)} rows,{" "}
          {count(MAX_IMPORT_COLUMNS)} columns and 100 MiB.
        </span>
      </p>
      <FileButton multiple accept={ACCEPT} onChange={(files) => onFiles(files)} disabled={isBusy || isFull}>
        {(props) => (
          <Button variant="default" {...props}>
            Choose files
          </Button>
        )}
      </FileButton>
    </div>
  );
}
