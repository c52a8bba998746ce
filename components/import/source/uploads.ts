"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/components/trpc";
import { MAX_IMPORT_BYTES, UPLOAD_PART_BYTES } from "@/server/custom-fields/import/plan-schema";
import type { ImportFile } from "@/server/custom-fields/import/schema";

/** The file types offered in the file picker. */
export const ACCEPT = ".csv,.tsv,.txt,.json,.ndjson,.xlsx,.xlsm,.xlsb,.xls,.ods,.gz";

type Part = { importId: string; fileNo: number; file: File; onProgress: (sent: number) => void };

/** The upload endpoint's JSON response, typed. */
const bodyOf = async <T>(answer: Response): Promise<T> => (await answer.json()) as T;

async function problemOf(answer: Response): Promise<Error> {
  const problem = await bodyOf<{ detail?: string }>(answer).catch(() => null);
  return new Error(problem?.detail ?? "The upload failed. Nothing was changed.");
}

/**
 * Uploads a file in parts, so that no request takes long and a lost connection costs only one part.
 * @throws Error with the server's message
 */
async function upload({ importId, fileNo, file, onProgress }: Part): Promise<void> {
  for (let offset = 0; offset < file.size || offset === 0; ) {
    const query = new URLSearchParams({
      importId,
      fileNo: String(fileNo),
      name: file.name,
      offset: String(offset),
      size: String(file.size),
    });
    const answer = await fetch(`/api/v1/custom-fields/imports/upload?${query}`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: file.slice(offset, offset + UPLOAD_PART_BYTES),
    }).catch(() => {
      throw new Error(`The connection was lost while ${file.name} was sent. Nothing was imported: choose it again.`);
    });
    if (!answer.ok) throw await problemOf(answer);
    const { received, complete } = await bodyOf<{ received: number; complete: boolean }>(answer);
    offset = received;
    onProgress(received);
    if (complete) return;
  }
}

/** Files chosen before their import was created; the import's page uploads them. */
const queued = new Map<string, File[]>();

export const queueFiles = (importId: string, files: File[]): void => void queued.set(importId, files);

/** Takes the files of an import out of the queue. */
export function takeQueuedFiles(importId: string): File[] {
  const files = queued.get(importId) ?? [];
  queued.delete(importId);
  return files;
}

type Sending = { name: string; sent: number; size: number };

/** Uploads files one after the other, as new files or as a replacement, with progress. */
export function useUploads(importId: string, files: readonly ImportFile[]) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const [current, setCurrent] = useState<Sending | null>(null);
  const [error, setError] = useState<string | null>(null);
  const send = async (fileNo: number, file: File) => {
    if (file.size > MAX_IMPORT_BYTES)
      throw new Error(`${file.name} is over 100 MiB. Split it and import the parts one by one.`);
    if (file.size === 0) throw new Error(`${file.name} is empty.`);
    setCurrent({ name: file.name, sent: 0, size: file.size });
    const onProgress = (sent: number) => setCurrent({ name: file.name, sent, size: file.size });
    await upload({ importId, fileNo, file, onProgress });
  };
  const report = async (work: () => Promise<void>) => {
    setError(null);
    await work().catch((failure: unknown) =>
      setError(failure instanceof Error ? failure.message : "The upload failed. Nothing was changed."),
    );
    await cache.invalidateQueries(trpc.imports.preview.queryFilter({ id: importId }));
    await cache.invalidateQueries(trpc.imports.get.queryFilter({ id: importId }));
    setCurrent(null);
  };
  // A partially uploaded file is replaced by the next one added.
  const partialIndex = files.findIndex((file) => !file.complete);
  const indexOf = (i: number) => (partialIndex < 0 ? files.length + i : i === 0 ? partialIndex : files.length + i - 1);
  const add = (added: readonly File[]) =>
    report(async () => {
      for (const [i, file] of added.entries()) await send(indexOf(i), file);
    });
  const replace = (fileNo: number, file: File) => report(() => send(fileNo, file));
  return { current, error, add, replace };
}
