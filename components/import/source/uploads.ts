"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/components/trpc";
import { MAX_IMPORT_BYTES } from "@/server/custom-fields/import/plan-schema";
import type { ImportFile } from "@/server/custom-fields/import/schema";
import { upload } from "./upload";

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
