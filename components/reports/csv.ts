import { type Cell, toCsv } from "@/server/ground/csv";

export function saveCsv(name: string, records: Cell[][]): void {
  const url = URL.createObjectURL(new Blob([toCsv(records)], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url));
}
