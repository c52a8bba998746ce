import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import { type DeclaredField, IDENTIFIERS, type Identifier } from "@/server/custom-fields/import/plan-schema";
import { headersOf, names, type Preset } from "@/server/custom-fields/import/presets";
import type { ColumnList } from "./column-list";
import type { Shape } from "./file-schema";
import type { RawRecord } from "./read-delimited";
import { choicesOf, SECRET_MEMBERS, saysYes, scopeOf, typeOf } from "./read-json";

const isOneOf = (title: string, known: readonly string[]): boolean => known.includes(normaliseHeader(title));
/** Identifier that a title names in the product's terms. */
export const identifierOf = (title: string, preset: Preset): Identifier | undefined =>
  IDENTIFIERS.find((which) => isOneOf(title, headersOf(preset, which)));

const findColumn = (titles: readonly string[], known: readonly string[]): number =>
  titles.findIndex((title) => isOneOf(title, known));

const SCOPE_COLUMN = names("Scope, Form, Applies To, Level, Field Scope, Extra Field Type");
const TITLE_COLUMN = names("Title, Name, Field, Field Name, Extra Field, Extra Field Name");
const TYPE_COLUMN = names("Type, Field Type, Data Type");
const OPTIONS_COLUMN = names("Options, Choices, Values, Dropdown Values, Drop Down Values");
/** Column that states secrecy in a field list or long file. */
export const secretColumn = (titles: readonly string[]): number => findColumn(titles, SECRET_MEMBERS);
export const SECRET_FIELD: DeclaredField = {
  type: null,
  options: null,
  secret: true,
  scope: "computer",
  section: null,
};

type LongColumns = { field: number; value: number };
/** Columns of the field's name and value in a long file; null in a wide one. */
export function longColumns(titles: readonly string[], preset: Preset): LongColumns | null {
  const value = findColumn(titles, preset.valueColumn);
  const field = titles.findIndex(
    (title, i) => i !== value && isOneOf(title, preset.fieldColumn) && !(titles.length === 2),
  );
  return field < 0 || value < 0 ? null : { field, value };
}

/** Shape of a file by its header. */
export function detectShape(titles: readonly string[], preset: Preset): Shape {
  if (longColumns(titles, preset)) return "long";
  const isList = findColumn(titles, SCOPE_COLUMN) >= 0 && findColumn(titles, TITLE_COLUMN) >= 0;
  const namesComputer = titles.some(
    (title) => !isOneOf(title, TITLE_COLUMN) && ["sourceId", "hostname"].includes(identifierOf(title, preset) ?? ""),
  );
  return isList && !namesComputer ? "fields" : "wide";
}

/** Reads a list of definitions: no records; every row declares a column. */
export async function readFieldList(
  rows: AsyncIterable<RawRecord>,
  titles: string[],
  columns: ColumnList,
): Promise<void> {
  const name = findColumn(titles, TITLE_COLUMN);
  const scope = findColumn(titles, SCOPE_COLUMN);
  const type = findColumn(titles, TYPE_COLUMN);
  const options = findColumn(titles, OPTIONS_COLUMN);
  const secret = secretColumn(titles);
  for await (const { cells } of rows) {
    const title = (cells[Math.max(name, 0)] ?? "").trim();
    if (!title) continue;
    const choices = choicesOf(cells[options]);
    const declared = {
      type: typeOf(cells[type] ?? ""),
      options: choices.length > 0 ? choices : null,
      secret: saysYes(cells[secret]),
      scope: scopeOf(cells[scope] ?? ""),
      section: null,
    };
    columns.place(title, { declared });
  }
}
