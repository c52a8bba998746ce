import type { Input } from "@/components/audit/filters/list-input";
import type { ExportFormat } from "@/server/audit/vocabulary";

/** The body of POST /audit-logs/export that asks for exactly what the list's input asks for. */
export function exportBody(format: ExportFormat, { from, to, cursor: _, skipCount: __, orgId, ...filters }: Input) {
  return { format, orgId, filters, dateRange: { from, to } };
}

const slug = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);

type Named = { organization: string; from?: Date | undefined; to?: Date | undefined; now: Date; format: ExportFormat };

/** "audit-northwind-dental-2026-11-13-to-2026-11-20.csv"; an open start is not in the name, an open end is today. */
export function exportName({ organization, from, to, now, format }: Named): string {
  const day = (at: Date) => at.toISOString().slice(0, 10);
  const range = from ? `${day(from)}-to-${day(to ?? now)}` : `until-${day(to ?? now)}`;
  return `audit-${slug(organization) || "organization"}-${range}.${format}`;
}

/** An answer's body as a file, with the bytes so far told as they come. */
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
