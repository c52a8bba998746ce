import type { Input } from "@/components/audit/filters/list-input";
import type { ExportFormat } from "@/server/audit/vocabulary";

/** The body of POST /audit-logs/export that asks for exactly what the list's input asks for. */
export function exportBody(format: ExportFormat, { from, to, cursor: _, skipCount: __, orgId, ...filters }: Input) {
  return { format, orgId, filters, dateRange: { from, to } };
}

/** An answer's body as a file; the bytes so far are reported as they arrive. */
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

/** Hands a file to the browser's downloads. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
