"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Input } from "@/components/audit/state/view";
import { saveFile } from "@/components/save-file";
import { fetchConfirmed } from "@/components/step-up";
import { useTRPC } from "@/components/trpc";
import { errorText } from "@/components/ui/notice";
import type { DirectFormat, ExportFormat } from "@/server/audit/export-formats";

/** Body of POST /audit-logs/export, and most of POST /audit-logs/exports, with the list's filters. */
export function exportBody(format: ExportFormat, { from, to, cursor: _, skipCount: __, orgId, ...filters }: Input) {
  return { format, orgId, filters, dateRange: { from, to } };
}

/** Reads a response's body as a file and reports the bytes received so far. */
async function readBody(response: Response, onBytes: (sum: number) => void): Promise<Blob> {
  const parts: BlobPart[] = [];
  let sum = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    parts.push(part.value as Uint8Array<ArrayBuffer>);
    sum += part.value.byteLength;
    onBytes(sum);
  }
  return new Blob(parts, { type: response.headers.get("content-type") ?? "application/octet-stream" });
}

type ExportInput = { input: Input; format: ExportFormat; gzip: boolean; timeZone: string };

/** Starts a background export with the list's filters. */
export function useBackgroundExport() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const create = useMutation(
    trpc.exports.create.mutationOptions({
      onSettled: () => cache.invalidateQueries({ queryKey: trpc.exports.list.queryKey() }),
    }),
  );
  const start = ({ input, format, gzip, timeZone }: ExportInput) => {
    create.mutate(JSON.parse(JSON.stringify({ ...exportBody(format, input), gzip, timeZone })));
  };
  return { start, isAsking: create.isPending, error: create.error && errorText(create.error) };
}

export type ExportState =
  | { kind: "idle" }
  | { kind: "running"; receivedBytes: number }
  | { kind: "failed"; why: string }
  | { kind: "done"; name: string; isTruncated: boolean };

/** The download and its progress; it is aborted when the dialog closes. */
export function useExport(input: Input) {
  const [state, setState] = useState<ExportState>({ kind: "idle" });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = async (format: DirectFormat, name: string) => {
    const running = new AbortController();
    const { signal } = running;
    abort.current = running;
    setState({ kind: "running", receivedBytes: 0 });
    try {
      const response = await fetchConfirmed("/api/v1/audit-logs/export", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(exportBody(format, input)),
        signal,
      });
      if (!response.ok) return setState({ kind: "failed", why: await refusal(response) });
      saveFile(name, await readBody(response, (got) => setState({ kind: "running", receivedBytes: got })));
      setState({ kind: "done", name, isTruncated: response.headers.has("X-Truncated") });
    } catch {
      setState(
        signal.aborted
          ? { kind: "idle" }
          : { kind: "failed", why: "The connection ended before the file was complete. Nothing was saved; try again." },
      );
    }
  };
  return { state, start, cancel: () => abort.current?.abort() };
}

async function refusal(response: Response): Promise<string> {
  const problem: { detail?: string } = await response.json().catch(() => ({}));
  return problem.detail ?? "The server refused the export. Nothing was saved.";
}
