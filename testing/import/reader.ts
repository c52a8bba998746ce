import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { guessMapping, type Target } from "@/server/custom-fields/import/map/guess-mapping";
import { cleanCell, normaliseHeader } from "@/server/custom-fields/import/normalise";
import { presetOf } from "@/server/custom-fields/import/presets";
import { detect } from "@/server/custom-fields/import/read/detect-format";
import { DELIMITERS, type FormatChange } from "@/server/custom-fields/import/read/file-schema";
import { createNotes } from "@/server/custom-fields/import/read/notes";
import type { SourceRecord } from "@/server/custom-fields/import/read/pivot";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import { readSource } from "@/server/custom-fields/import/read/read-file";
import { AppError } from "@/server/ground/errors";
import { tempFolder } from "@/testing/temp-folder";
import { encodeText, toCsv } from "./files";

type Content = Buffer | string;

/** Reads contents of files as an import does, in the detected format with changes; a faulty row is its fault. */
export function reader(source: string, path = join(tempFolder(), "file")) {
  const preset = presetOf(source);
  return async (content: Content, over: FormatChange = {}) => {
    writeFileSync(path, content);
    const { format: detected, ...found } = await detect(path, preset);
    const format = { ...detected, ...over };
    const notes = createNotes();
    const { columns, records } = readSource(path, { format, preset, notes });
    const read: SourceRecord[] = [];
    for await (const record of records) read.push(record);
    const rows = read.map(({ cells, fault }) => (fault === null ? cells : [fault]));
    const { titles, declared } = columns;
    return { ...found, format, titles, declared, records: read, rows, notes: notes.toTexts() };
  };
}

const { aliases } = presetOf("automate");

/** Properties of file reader and header matcher for any content: few cases in the suite, many in torture. */
export type Law = { name: string; property: fc.IAsyncProperty<never> | fc.IProperty<never> };

const sayUnless = (isSo: boolean, text: string) => {
  if (!isSo) throw new Error(text);
};
const alike = (a: unknown, b: unknown) =>
  sayUnless(JSON.stringify(a) === JSON.stringify(b), `${JSON.stringify(a)} instead of ${JSON.stringify(b)}`);

const UNITS = ["a", "B", " ", ",", ";", '"', "\n", "\r\n", "é", "ß", "0", "=", "'", "\t", "|", "漢", "😀", "\u00a0"];
const cell = fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 8 });
const variant = fc.constantFrom(
  { encoding: "utf-8" },
  { encoding: "utf-8", bom: true },
  { encoding: "utf-8", gzip: true },
  { encoding: "utf-16le", bom: true },
  { encoding: "utf-16be", bom: true, gzip: true },
);

type Read = (content: Buffer, over: FormatChange) => Promise<{ records: { cells: SourceCell[] }[] }>;

/** A reader that ignores quotes, for the control. */
const readNaively: Read = async (content, { delimiter = "," }) => {
  const [, ...lines] = content.toString("utf8").split(/\r?\n/);
  return { records: lines.filter(Boolean).map((line) => ({ cells: line.split(delimiter).map(cleanCell) })) };
};

const cellByCell = (read: Read) =>
  fc.asyncProperty(
    fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 12 }),
    fc.record({ delimiter: fc.constantFrom(...DELIMITERS), newline: fc.constantFrom("\r\n", "\n"), encoding: variant }),
    async (rows, { delimiter, newline, encoding }) => {
      const given = rows.map((row, i) => [String(i + 1), ...row]);
      const text = toCsv([["Computer ID", "One", "Two", "Three"], ...given], delimiter, newline);
      const over = { delimiter, headerRow: 1, shape: "wide" } as const;
      const { records } = await read(encodeText(text, encoding), over);
      alike(
        records.map(({ cells }) => cells),
        given.map((row) => row.map(cleanCell)),
      );
    },
  );

const anyBytes = (read: ReturnType<typeof reader>) =>
  fc.asyncProperty(
    fc.uint8Array({ minLength: 1, maxLength: 400 }),
    fc.constantFrom([], [0x1f, 0x8b], [0x50, 0x4b, 3, 4], [0xff, 0xfe], [0x5b], [0x7b, 0x22]),
    async (bytes, mark) => {
      await read(Buffer.from([...mark, ...bytes])).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    },
  );

/** Targets of a header: two identifiers and two fields. */
export const TARGETS: Target[] = [
  { id: "sourceId", names: ["Source device ID"], aliases: aliases.sourceId },
  { id: "hostname", names: ["Hostname"], aliases: aliases.hostname },
  { id: "asset", names: ["Asset Tag", "asset_tag"] },
  { id: "role", names: ["Server Role", "server_role"] },
];
const header = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("Asset Tag", "AssetTag", "aset tag", "Hostname", "Host Name", "Computer ID", "Id", ""),
);
const isSure = (title: string, target: Target) =>
  [...target.names, ...(target.aliases ?? [])].some((name) => normaliseHeader(name) === normaliseHeader(title));

const matching = fc.property(fc.array(header, { maxLength: 12 }), (columns) => {
  const guesses = guessMapping(columns, TARGETS);
  const chosen = guesses.flatMap((guess) => guess?.target ?? []);
  sayUnless(new Set(chosen).size === chosen.length, "a target is given to two columns");
  guesses.forEach((guess, i) => {
    const title = columns[i] as string;
    const target = TARGETS.find(({ id }) => id === guess?.target);
    if (target) alike(guess?.certainty, isSure(title, target) ? "sure" : "guess");
  });
  for (const target of TARGETS)
    sayUnless(chosen.includes(target.id) || !columns.some((c) => isSure(c, target)), `nobody has got ${target.id}`);
});

/** A property that a reader without quotes violates: a run that misses it proves nothing. */
export const brokenLaw = (): Law["property"] => cellByCell(readNaively) as unknown as Law["property"];

/** Runs fn with the properties, and removes their files. */
export async function withLaws<T>(fn: (laws: Law[]) => Promise<T>): Promise<T> {
  const folder = tempFolder();
  const read = reader("generic_csv", join(folder, "file"));
  const law = (name: string, property: unknown) => ({ name, property: property as Law["property"] });
  try {
    return await fn([
      law("every row of a file comes back cell by cell", cellByCell(read)),
      law("any bytes are answered with records or an error of ours", anyBytes(read)),
      law("every header gets what it surely means, and nothing twice", matching),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
