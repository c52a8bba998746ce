"use client";

import { Button, Progress } from "@mantine/core";
import { useIsMutating, useMutation, useQueries } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { bytes } from "@/components/format/amounts";
import { Discard } from "@/components/import/discard";
import classes from "@/components/import/import.module.css";
import { JobProgress } from "@/components/import/job-progress";
import type { StepProps } from "@/components/import/steps";
import { useChange } from "@/components/import/use-change";
import { type Outputs, useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import { MAX_IMPORT_FILES } from "@/server/custom-fields/import/plan-schema";
import { DropArea } from "./drop-area";
import { OtherScopes } from "./file-notes";
import { FilePreview, isPermanent, PartialFile } from "./file-preview";
import { takeQueuedFiles, useUploads } from "./uploads";

/** The files: uploaded, previewed, and shown as they will be read. */
export function SourceStep({ state, onStep }: StepProps) {
  const trpc = useTRPC();
  const { scope, show } = useChange(state.id);
  const uploads = useUploads(state.id, state.files);
  const stage = useMutation(trpc.imports.stage.mutationOptions({ scope, onSuccess: show }));
  const isRead = state.columns.length > 0;
  const { add } = uploads;
  const hasStarted = useRef(false);
  const isJustChosen = useRef(false);
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    const files = takeQueuedFiles(state.id);
    isJustChosen.current = files.length === 1;
    if (files.length > 0) void add(files);
  }, [state.id, add]);
  useContinueOnceRead(state, onStep);
  const complete = state.files.filter((file) => file.complete);
  const open = useUnresolved(state);
  const { mutate } = stage;
  const isPreviewed = uploads.current === null && open.isPreviewed;
  // A file without open questions is read after the upload.
  useEffect(() => {
    if (!isJustChosen.current || !isPreviewed) return;
    isJustChosen.current = false;
    if (open.isPlain) mutate({ id: state.id });
  }, [isPreviewed, open.isPlain, mutate, state.id]);

  return (
    <>
      <DropArea
        onFiles={(files) => void uploads.add(files)}
        isBusy={uploads.current !== null}
        isFull={state.files.length >= MAX_IMPORT_FILES}
      />
      {uploads.current && <Sending {...uploads.current} />}
      {uploads.error && <Message tone="bad">{uploads.error}</Message>}
      {!state.job &&
        state.files.map((file, fileNo) => {
          const props = {
            isBusy: uploads.current !== null,
            onReplace: (next: File) => void uploads.replace(fileNo, next),
          };
          const key = `${fileNo} ${file.name} ${file.size}`;
          if (file.complete)
            return <FilePreview key={key} importId={state.id} fileNo={fileNo} file={file} {...props} />;
          return uploads.current ? null : <PartialFile key={key} name={file.name} {...props} />;
        })}
      <OtherScopes state={state} />
      {state.job && <JobProgress id={state.id} job={state.job} />}
      {stage.error && <Message tone="bad">{errorText(stage.error)}</Message>}
      {state.files.length > 0 && !state.job && (
        <div className={classes.foot}>
          {isRead ? (
            <Button type="submit" onClick={() => onStep("fields")}>
              Continue
            </Button>
          ) : (
            <Button
              type="submit"
              onClick={() => stage.mutate({ id: state.id })}
              loading={stage.isPending}
              disabled={uploads.current !== null || complete.length < state.files.length || open.isOpen}
            >
              {state.files.length === 1 ? "Read the file" : "Read the files"}
            </Button>
          )}
          <Discard id={state.id} />
          {open.text && <span className={classes.quiet}>{open.text}</span>}
        </div>
      )}
    </>
  );
}

function Sending({ name, sent, size }: { name: string; sent: number; size: number }) {
  return (
    <div className={classes.progress}>
      <strong>Sending {name}</strong>
      <Progress value={(sent / size) * 100} aria-label={`Sending ${name}`} />
      <p className={classes.quiet}>
        {bytes(sent)} of {bytes(size)}
      </p>
    </div>
  );
}

type Unresolved = {
  isOpen: boolean;
  /** The instruction for the user. */
  text: string | null;
  isPreviewed: boolean;
  /** Previews without choices or notes. */
  isPlain: boolean;
};

/** Whether something must be resolved before reading the files. */
function useUnresolved(state: StepProps["state"]): Unresolved {
  const trpc = useTRPC();
  const isRead = state.columns.length > 0;
  const previews = useQueries({
    queries: state.files.map((file, fileNo) =>
      trpc.imports.preview.queryOptions({ id: state.id, fileNo }, { enabled: file.complete && !isRead && !state.job }),
    ),
  });
  // While the format is being changed, the preview is out of date.
  const isChanging = useIsMutating({ mutationKey: trpc.imports.setFormat.mutationKey() }) > 0;
  const text = isRead || isChanging ? null : unresolvedText(state, previews);
  const isPreviewed = previews.length > 0 && previews.every(({ isPending }) => !isPending);
  const isPlain = text === null && previews.every(({ data }) => data?.notes.length === 0 && data.sheets.length < 2);
  return { isOpen: !isRead && (isChanging || text !== null || !isPreviewed), text, isPreviewed, isPlain };
}

type Seen = { data: Outputs["imports"]["preview"] | undefined; error: unknown };

function unresolvedText(state: StepProps["state"], previews: readonly Seen[]): string | null {
  // Reading failed only after the preview.
  const failedAfterPreview = state.error !== null && state.summary.isRefused === true;
  const rejected = state.files.filter((_, fileNo) => isPermanent(previews[fileNo]?.error));
  if (rejected.length > 0 || failedAfterPreview)
    return rejected.every(({ format }) => format !== null)
      ? "Replace the file that cannot be read, or change how it is read."
      : "Replace the file that cannot be read.";
  const hasDoubts = previews.some(({ data }) => (data?.headerDoubts.length ?? 0) > 0);
  return hasDoubts ? "Confirm first whether the file has a header." : null;
}

/** Continues when reading has just finished, but not when the user returns to this step later. */
function useContinueOnceRead(state: StepProps["state"], onStep: StepProps["onStep"]) {
  const wasReading = useRef(false);
  const isReading = state.job?.name === "stage";
  const isRead = state.columns.length > 0;
  useEffect(() => {
    if (wasReading.current && !isReading && isRead) onStep("fields");
    wasReading.current = isReading;
  }, [isReading, isRead, onStep]);
}
