"use client";

import { Button, FileButton, Progress } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { MAX_IMPORT_BYTES, MAX_IMPORT_FILES, MAX_IMPORT_ROWS } from "@/server/custom-fields/import/schema";
import { bytes, count } from "../shell/amounts";
import { Message } from "../shell/message";
import { errorText } from "../shell/notice";
import { useTRPC } from "../trpc";
import { FilePreview } from "./file-preview";
import classes from "./import.module.css";
import { JobProgress } from "./job-progress";
import { OtherScopes } from "./other-scopes";
import { upload } from "./upload";
import type { StepProps } from "./wizard";

const ACCEPT = ".csv,.tsv,.txt,.json,.ndjson,.xlsx,.gz";

/** The file or files: sent, read in part and shown as they will be read in whole. */
export function SourceStep({ state, onStep }: StepProps) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const uploads = useUploads(state.id, state.files.length);
  const stage = useMutation(
    trpc.imports.stage.mutationOptions({
      onSuccess: (next) => cache.setQueryData(trpc.imports.get.queryKey({ id: state.id }), next),
    }),
  );
  const isRead = state.columns.length > 0;
  useGoOnOnceRead(state, onStep);
  const complete = state.files.filter((file) => file.complete);
  return (
    <>
      <DropArea
        onFiles={uploads.send}
        isBusy={uploads.current !== null}
        isFull={state.files.length >= MAX_IMPORT_FILES}
      />
      {uploads.current && (
        <div className={classes.progress}>
          <strong>Sending {uploads.current.name}</strong>
          <Progress
            value={(uploads.current.sent / uploads.current.size) * 100}
            aria-label={`Sending ${uploads.current.name}`}
          />
          <p className={classes.quiet}>
            {bytes(uploads.current.sent)} of {bytes(uploads.current.size)}
          </p>
        </div>
      )}
      {uploads.error && (
        <div className={classes.error}>
          <Message tone="bad">{uploads.error}</Message>
        </div>
      )}
      {!state.job &&
        state.files.map(
          (file, fileNo) =>
            file.complete && (
              <FilePreview
                // biome-ignore lint/suspicious/noArrayIndexKey: a file's place in the import is what it is known by
                key={`${fileNo} ${file.name} ${file.size}`}
                importId={state.id}
                fileNo={fileNo}
                file={file}
              />
            ),
        )}
      <OtherScopes state={state} />
      {state.job && <JobProgress id={state.id} job={state.job} />}
      {stage.error && (
        <div className={classes.error}>
          <Message tone="bad">{errorText(stage.error)}</Message>
        </div>
      )}
      {complete.length > 0 && !state.job && (
        <div className={classes.foot}>
          {isRead ? (
            <Button type="submit" onClick={() => onStep("fields")}>
              Go on to the fields
            </Button>
          ) : (
            <Button
              type="submit"
              onClick={() => stage.mutate({ id: state.id })}
              loading={stage.isPending}
              disabled={uploads.current !== null}
            >
              {complete.length === 1 ? "Read the file" : "Read the files"}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** The step is over when the files have been read; coming back to it later is not the same. */
function useGoOnOnceRead(state: StepProps["state"], onStep: StepProps["onStep"]) {
  const wasReading = useRef(false);
  const isReading = state.job?.name === "stage";
  const isRead = state.columns.length > 0;
  useEffect(() => {
    if (wasReading.current && !isReading && isRead) onStep("fields");
    wasReading.current = isReading;
  }, [isReading, isRead, onStep]);
}

type Sending = { name: string; sent: number; size: number };

/** Sends files one after the other and tells how far they are. */
function useUploads(importId: string, known: number) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const [current, setCurrent] = useState<Sending | null>(null);
  const [error, setError] = useState<string | null>(null);
  const next = useRef(known);
  const send = async (files: File[]) => {
    setError(null);
    next.current = Math.max(next.current, known);
    try {
      for (const file of files) {
        if (file.size > MAX_IMPORT_BYTES)
          throw new Error(`${file.name} is over 100 MiB. Split it and import the parts one by one.`);
        if (file.size === 0) throw new Error(`${file.name} is empty.`);
        setCurrent({ name: file.name, sent: 0, size: file.size });
        const onProgress = (sent: number) => setCurrent({ name: file.name, sent, size: file.size });
        await upload({ importId, fileNo: next.current, file, onProgress, signal: new AbortController().signal });
        next.current += 1;
        await cache.invalidateQueries(trpc.imports.get.queryFilter({ id: importId }));
      }
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : "The upload failed.");
    }
    setCurrent(null);
  };
  return { current, error, send };
}

type DropProps = { onFiles: (files: File[]) => void; isBusy: boolean; isFull: boolean };

function DropArea({ onFiles, isBusy, isFull }: DropProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isBusy && !isFull) onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is the mouse's way; the button inside is everybody's
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
          CSV, TSV, Excel or JSON, also gzipped. At most {count(MAX_IMPORT_ROWS)} rows and 100 MiB. A list of fields may
          come with a file of values.
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
