"use client";

import { Button, Progress } from "@mantine/core";
import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { bytes } from "@/components/format/amounts";
import { Discard } from "@/components/import/discard";
import classes from "@/components/import/import.module.css";
import { JobProgress } from "@/components/import/job-progress";
import type { StepProps } from "@/components/import/steps";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText, problemOf } from "@/components/ui/notice";
import { MAX_IMPORT_FILES } from "@/server/custom-fields/import/schema";
import { DropArea } from "./drop-area";
import { CutFile, FilePreview } from "./file-preview";
import { takeFiles } from "./handed-over";
import { OtherScopes } from "./other-scopes";
import { useUploads } from "./uploads";

/** The file or files: sent, read in part and shown as they will be read in whole. */
export function SourceStep({ state, onStep }: StepProps) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const uploads = useUploads(state.id, state.files);
  const stage = useMutation(
    trpc.imports.stage.mutationOptions({
      onSuccess: (next) => cache.setQueryData(trpc.imports.get.queryKey({ id: state.id }), next),
    }),
  );
  const isRead = state.columns.length > 0;
  const { add } = uploads;
  const hasTaken = useRef(false);
  useEffect(() => {
    if (hasTaken.current) return;
    hasTaken.current = true;
    const files = takeFiles(state.id);
    if (files.length > 0) void add(files);
  }, [state.id, add]);
  useContinueOnceRead(state, onStep);
  const complete = state.files.filter((file) => file.complete);
  const open = useOpenQuestion(state);
  return (
    <>
      <DropArea
        onFiles={(files) => void uploads.add(files)}
        isBusy={uploads.current !== null}
        isFull={state.files.length >= MAX_IMPORT_FILES}
      />
      {uploads.current && <Sending {...uploads.current} />}
      {uploads.error && (
        <div className={classes.error}>
          <Message tone="bad">{uploads.error}</Message>
        </div>
      )}
      {!state.job &&
        state.files.map((file, fileNo) => {
          const props = {
            isBusy: uploads.current !== null,
            onReplace: (next: File) => void uploads.replace(fileNo, next),
          };
          const key = `${fileNo} ${file.name} ${file.size}`;
          if (file.complete)
            return <FilePreview key={key} importId={state.id} fileNo={fileNo} file={file} {...props} />;
          return uploads.current ? null : <CutFile key={key} name={file.name} {...props} />;
        })}
      <OtherScopes state={state} />
      {state.job && <JobProgress id={state.id} job={state.job} />}
      {stage.error && (
        <div className={classes.error}>
          <Message tone="bad">{errorText(stage.error)}</Message>
        </div>
      )}
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
              disabled={uploads.current !== null || complete.length < state.files.length || open !== null}
            >
              {state.files.length === 1 ? "Read the file" : "Read the files"}
            </Button>
          )}
          <Discard id={state.id} />
          {open && <span className={classes.quiet}>{open}</span>}
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

/** Of a file that no second try will read. */
const isRefused = (error: unknown): boolean =>
  ["validation_failed", "payload_too_large"].includes(problemOf(error)?.code ?? "");

/** What a person has to settle before the files are read; null where nothing stands in the way. */
function useOpenQuestion(state: StepProps["state"]): string | null {
  const trpc = useTRPC();
  const isRead = state.columns.length > 0;
  // Its beginning could be read, the rest not: how it is read can still be changed.
  const isRefusedLater = state.error !== null && state.summary.isRefused === true;
  return useQueries({
    queries: state.files.map((file, fileNo) =>
      trpc.imports.preview.queryOptions({ id: state.id, fileNo }, { enabled: file.complete && !isRead && !state.job }),
    ),
    combine: (previews) => {
      if (isRead) return null;
      if (previews.some(({ error }) => isRefused(error))) return "Replace the file that cannot be read.";
      if (isRefusedLater) return "Replace the file that cannot be read, or change how it is read.";
      const isAsked = previews.some(({ data }) => (data?.headerDoubts.length ?? 0) > 0);
      return isAsked ? "Say first whether the file has a heading." : null;
    },
  });
}

/** The step is over when the files have been read; coming back to it later is not the same. */
function useContinueOnceRead(state: StepProps["state"], onStep: StepProps["onStep"]) {
  const wasReading = useRef(false);
  const isReading = state.job?.name === "stage";
  const isRead = state.columns.length > 0;
  useEffect(() => {
    if (wasReading.current && !isReading && isRead) onStep("fields");
    wasReading.current = isReading;
  }, [isReading, isRead, onStep]);
}
