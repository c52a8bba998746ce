/** A spreadsheet runs a cell that begins with one of these. */
const FORMULA = /^[=+\-@\t\r]/;

const cell = (value: string | number): string => {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows as CSV (RFC 4180); cells that a spreadsheet would run are disarmed. */
export const toCsv = (rows: (string | number)[][]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** Hands the reader a file. */
export function saveCsv(name: string, rows: (string | number)[][]): void {
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url));
}
