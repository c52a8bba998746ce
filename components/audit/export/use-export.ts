"use client";

import { useEffect, useRef, useState } from "react";
import type { Input } from "@/components/audit/state/view";
import { fetchConfirmed } from "@/components/step-up";
import type { DirectFormat } from "@/server/audit/vocabulary";
import { exportBody, readBody, saveFile } from "./export-request";

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
      saveFile(await readBody(response, (got) => setState({ kind: "running", receivedBytes: got })), name);
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
