import type { Input } from "@/components/audit/state/view";
import type { ExportFormat } from "@/server/audit/vocabulary";

/** The body of POST /audit-logs/export, and most of that of POST /audit-logs/exports, with the same filters as the list. */
export function exportBody(format: ExportFormat, { from, to, cursor: _, skipCount: __, orgId, ...filters }: Input) {
  return { format, orgId, filters, dateRange: { from, to } };
}

/** Reads a response's body as a file and reports the bytes received so far. */
export async function readBody(response: Response, onBytes: (sum: number) => void): Promise<Blob> {
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

/** Downloads a file. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
