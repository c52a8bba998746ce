"use client";

import { FileButton } from "@mantine/core";
import { FileCheck2 } from "lucide-react";
import { type DragEvent, useState } from "react";
import classes from "./verify.module.css";

/** A drop target for one file, with a button to choose it. */
export function DropFile({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const file = event.dataTransfer.files[0];
    if (file) onFile(file);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <FileButton onChange={(file) => file && onFile(file)} inputProps={{ "aria-label": "Evidence bundle" }}>
      {(props) => (
        <button
          {...props}
          type="button"
          className={classes.drop}
          data-over={isOver || undefined}
          onDragOver={over}
          onDragLeave={() => setIsOver(false)}
          onDrop={drop}
        >
          <FileCheck2 size={26} strokeWidth={1.5} aria-hidden />
          <span className={classes.dropTitle}>
            Drop an evidence bundle or the proof of an entry here, or choose the file
          </span>
          <span className={classes.dropNote}>
            A .ndjson file from the Integrity page or from <code>GET /api/v1/audit-logs/evidence</code>, or a
            .tlog-proof file
          </span>
        </button>
      )}
    </FileButton>
  );
}
