import { type Cell, toCsv } from "@/server/ground/csv";
import { inOneLine } from "@/server/ground/text";
import type { MailBody } from "@/server/notify/deliveries/queue";

type Value = string | number | Date;

/** A report for a mail: figures, then tables; times in a zone. */
export type Written = {
  title: string;
  covers: string;
  timeZone: string;
  figures: [string, number][];
  tables: { title: string; head: string[]; rows: Value[][] }[];
  link: string;
  settings: string;
  csvName: string;
};

/** Table rows shown in a mail; the attached file has all. */
const MAX_ROWS = 25;

const numbers = new Intl.NumberFormat("en-GB");

/** Formats a value for a mail in a zone, on one line: a name must not look like lines of the report. */
function shownIn(timeZone: string): (value: Value) => string {
  const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone });
  return (value) => {
    if (typeof value === "number") return numbers.format(value);
    return value instanceof Date ? clock.format(value) : inOneLine(value);
  };
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

const restOf = (rows: readonly unknown[]): string | null =>
  rows.length > MAX_ROWS ? `and ${numbers.format(rows.length - MAX_ROWS)} more in the attached file` : null;

function asText({ title, covers, timeZone, figures, tables, link, settings }: Written): string {
  const shown = shownIn(timeZone);
  const parts = tables.map(({ title: name, rows }) =>
    [
      name,
      ...rows.slice(0, MAX_ROWS).map((cells) => `- ${cells.map(shown).filter(Boolean).join(", ")}`),
      ...(rows.length === 0 ? ["- none"] : []),
      ...(restOf(rows) ? [`- ${restOf(rows)}`] : []),
    ].join("\n"),
  );
  const head = [title, covers].join("\n");
  return [
    head,
    figures.map(([name, n]) => `${name}: ${shown(n)}`).join("\n"),
    ...parts,
    `The report: ${link}`,
    `To end these mails, delete the schedule: ${settings}`,
  ].join("\n\n");
}

function asHtml({ title, covers, timeZone, figures, tables, link, settings }: Written): string {
  const shown = shownIn(timeZone);
  const row = (cells: readonly Value[], tag: "td" | "th"): string =>
    `<tr>${cells
      .map((cell) => `<${tag} align="${typeof cell === "number" ? "right" : "left"}">${escaped(shown(cell))}</${tag}>`)
      .join("")}</tr>`;
  const table = (head: string[] | null, rows: Value[][]) =>
    `<table cellpadding="6" cellspacing="0" border="1">${head ? row(head, "th") : ""}${rows
      .slice(0, MAX_ROWS)
      .map((cells) => row(cells, "td"))
      .join("")}</table>${restOf(rows) ? `<p>${escaped(restOf(rows) ?? "")}</p>` : ""}`;
  return [
    `<!doctype html><html lang="en"><body><h1>${escaped(title)}</h1><p>${escaped(covers)}</p>`,
    table(null, figures),
    ...tables.map(
      ({ title: name, head, rows }) =>
        `<h2>${escaped(name)}</h2>${rows.length > 0 ? table(head, rows) : "<p>None</p>"}`,
    ),
    `<p><a href="${escaped(link)}">The report</a></p>`,
    `<p><a href="${escaped(settings)}">To end these mails, delete the schedule</a></p></body></html>`,
  ].join("\n");
}

const asCell = (value: Value): Cell => (value instanceof Date ? value.toISOString() : value);

function asCsv({ covers, figures, tables }: Written): string {
  const rows: Cell[][] = [["covers", covers], ...figures];
  for (const { title, head, rows: body } of tables)
    rows.push([], [title], head, ...body.map((cells) => cells.map(asCell)));
  return toCsv(rows);
}

/** The mail of a report: plain text, HTML tables, and everything as a file. */
export const render = (written: Written): MailBody => ({
  text: asText(written),
  html: asHtml(written),
  csv: { name: written.csvName, content: asCsv(written) },
});
