import { cleanCell, normaliseHeader, trimText } from "@/server/custom-fields/import/normalise";
import {
  type DeclaredField,
  type FieldScope,
  IDENTIFIER_LABELS,
  IDENTIFIERS,
} from "@/server/custom-fields/import/plan-schema";
import { headersOf, names, type Preset } from "@/server/custom-fields/import/presets";
import type { FieldType } from "@/server/custom-fields/schema";
import { isObject } from "@/server/ground/records";
import type { ColumnList } from "./column-list";
import type { JsonPart } from "./json-parts";
import type { FileNotes } from "./notes";
import { add, type IdentityCell, type LongEntry, put, type SourceRecord } from "./pivot";
import type { SourceCell } from "./read-delimited";
import { withoutExponent } from "./shown-cell";

type Json = Record<string, unknown>;

/** First member whose normalized name is one of the names (dumps differ in case and separators). */
function member(object: Json, ...names: string[]): unknown {
  for (const name of names)
    for (const key of Object.keys(object)) if (normaliseHeader(key) === name) return object[key];
  return undefined;
}

function textOf(value: unknown): string {
  if (typeof value === "number") return withoutExponent(String(value));
  return value === null || value === undefined || typeof value === "object" ? "" : String(value);
}

/** A name on its own or inside an object: Client: {Name: "Acme"}. */
const nameOf = (value: unknown): string => (isObject(value) ? textOf(member(value, "name")) : textOf(value));

const MASKED = /^[*•●x]{4,}$/i;
/** Members by which a product marks a value as secret. */
export const SECRET_MEMBERS = names(
  "ismasked, masked, isencrypted, encrypted, ispassword, issecret, secret, issensitive, ishidden",
);
export const saysYes = (value: unknown): boolean => /^(true|1|yes)$/i.test(textOf(value).trim());

/** Distinct choices of a dropdown: from a list, a map by option id, or one text. */
export function choicesOf(value: unknown): string[] {
  const texts = Array.isArray(value)
    ? value.map(nameOf)
    : isObject(value)
      ? Object.values(value).map(nameOf)
      : textOf(value).split(/[|;\r\n]+/);
  return [...new Set(texts.map(trimText))].filter(Boolean);
}

/** Scope of a field: "Location fields", "ClientScope", 2. */
export function scopeOf(value: unknown): FieldScope {
  const word = normaliseHeader(nameOf(value));
  if (word.includes("location") || word === "2") return "location";
  return word.includes("client") || word.includes("company") || word === "3" ? "client" : "computer";
}

export function typeOf(value: unknown): FieldType | null {
  const word = normaliseHeader(nameOf(value));
  if (/check|bool|flag|yesno/.test(word)) return "boolean";
  if (/drop|combo|select|list|choice/.test(word)) return "dropdown";
  if (/date/.test(word)) return "date";
  if (/number|integer|decimal|numeric/.test(word)) return "number";
  return /text|string|memo|password/.test(word) ? "text" : null;
}

/** Text of a selected option given by number in a map by option id. */
function chosen(options: unknown, selected: string): string {
  if (!isObject(options)) return selected;
  return Object.values(options).some((text) => nameOf(text) === selected)
    ? selected
    : nameOf(options[selected]) || selected;
}

type ExtraField = { title: string; value: SourceCell; declared: DeclaredField };

/** An entry of Computers/{id}/ExtraFields: its declaration and value; a default or mask is no value. */
function toExtraField(entry: Json): ExtraField {
  const [text, drop, check] = [
    member(entry, "textfieldsettings"),
    member(entry, "dropdownsettings"),
    member(entry, "checkboxsettings"),
  ];
  const settings = isObject(text) ? text : isObject(drop) ? drop : isObject(check) ? check : entry;
  const available = isObject(drop)
    ? member(drop, "availableoptions", "options", "values", "items", "choices", "dropdownvalues")
    : member(entry, "availableoptions", "options", "choices", "dropdownvalues");
  const given = nameOf(member(settings, "selectedvalue", ...FIELD_VALUES, "ischecked", "checked", "selected", "text"));
  const raw = chosen(available, given);
  const type: FieldType | null = isObject(check)
    ? "boolean"
    : isObject(drop)
      ? "dropdown"
      : typeOf(member(entry, "type", "fieldtype"));
  const choices = choicesOf(available);
  const masked = MASKED.test(raw.trim());
  const secret =
    masked ||
    [entry, settings].some((object) => SECRET_MEMBERS.some((name) => saysYes(member(object, name)))) ||
    normaliseHeader(textOf(member(entry, "type", "fieldtype"))).includes("password");
  const skipped = masked || member(entry, "isdefaultvalue") === true;
  return {
    title: nameOf(member(entry, "title", "name", ...FIELD_NAMES, "field")).trim(),
    value: skipped ? null : cleanCell(raw),
    declared: {
      type: type ?? (isObject(text) ? null : choices.length > 0 ? "dropdown" : null),
      options: choices.length > 0 ? choices : null,
      secret,
      scope: scopeOf(member(entry, "scope", "form", "appliesto", "level", "extrafieldtype")),
      section: textOf(member(entry, "section", "tab")) || null,
    },
  };
}

const EXTRAS = ["extrafields", "extradatafields", "customfields", "customproperties", "customvalues", "extrafield"];
/** Members with the name and value of a field in different products. */
const FIELD_NAMES = ["title", "fieldname", "extrafieldname", "propertyname"];
const FIELD_VALUES = ["value", "fieldvalue", "valueasstring"];

/** Identifiers of a computer object (or a flat entry), under titles that every preset maps. */
function identityOf(
  object: Json,
  preset: Preset,
  { key, isEntry }: { key: string | null; isEntry: boolean },
): IdentityCell[] {
  const names = IDENTIFIERS.map((which): IdentityCell => {
    const aliases = headersOf(preset, which);
    // An entry's own Name and Id belong to the field, not the computer.
    const usable = isEntry ? aliases.filter((a) => a !== "name" && a !== "id") : aliases;
    return { title: IDENTIFIER_LABELS[which], value: cleanCell(nameOf(member(object, ...usable))), which };
  });
  if (key !== null && names[0]) names[0].value ||= cleanCell(key);
  return names;
}

/** Owner of fields: named by the computer, by its enclosing object, or by all of its fields (TargetId). */
function ownerOf(part: JsonPart, extras: readonly unknown[], preset: Preset): IdentityCell[] {
  const value = isObject(part.value) ? part.value : {};
  const own = identityOf(value, preset, { key: part.key, isEntry: false });
  if (own.some((cell) => cell.value !== "")) return own;
  const inner = member(value, "computer", "device");
  if (isObject(inner)) return identityOf(inner, preset, { key: null, isEntry: false });
  const identities = extras.filter(isObject).map((item) => identityOf(item, preset, { key: null, isEntry: true }));
  return own.map((cell, i) => {
    const [alike = "", ...others] = new Set(identities.map((identity) => identity[i]?.value ?? ""));
    return { ...cell, value: others.length === 0 ? alike : "" };
  });
}

/** Position in a dump, and the columns it may add to. */
type Dump = { line: number; columns: ColumnList; preset: Preset; notes?: FileNotes | undefined };
type Parsed = { records: SourceRecord[]; entries: LongEntry[] };

function computer(part: JsonPart, { line, columns, preset }: Dump): SourceRecord | null {
  const value = part.value;
  const extras = Array.isArray(value) ? value : isObject(value) ? member(value, ...EXTRAS) : undefined;
  if (!Array.isArray(extras)) return null;
  const identity = ownerOf(part, extras, preset);
  const record: SourceRecord = { line, cells: [], fault: null };
  for (const { title, value: text } of identity) put(record.cells, columns.place(title, { kind: "identity" }), text);
  for (const item of extras) {
    if (!isObject(item)) continue;
    add(record, columns, { ...toExtraField(item), line });
  }
  return record;
}

/** Members of a flat object, including those of a nested object of fields. */
const fieldsOf = (value: Json, { nested }: Preset): [string, unknown][] =>
  Object.entries(value).flatMap(([name, item]): [string, unknown][] =>
    isObject(item) && nested.includes(normaliseHeader(name)) ? Object.entries(item) : [[name, item]],
  );

/**
 * Parses an element of a JSON dump: a computer with its extra fields, one extra field, a definition, or a flat object
 * with a member per field.
 */
export function readPart(part: JsonPart, dump: Dump): Parsed {
  const { line, columns, preset } = dump;
  const found = computer(part, dump);
  if (found) return { records: [found], entries: [] };
  if (!isObject(part.value)) return { records: [], entries: [] };
  const value = part.value;
  const isEntry = ["textfieldsettings", "dropdownsettings", "checkboxsettings"].some((s) => isObject(member(value, s)));
  const title = member(value, ...FIELD_NAMES);
  if (isEntry || (title !== undefined && member(value, ...FIELD_VALUES) !== undefined)) {
    const identity = identityOf(value, preset, { key: null, isEntry: true });
    return { records: [], entries: [{ line, identity, ...toExtraField(value) }] };
  }
  if (title !== undefined) {
    const field = toExtraField(value);
    if (field.title) columns.place(field.title, { declared: field.declared });
    return { records: [], entries: [] };
  }
  const record: SourceRecord = { line, cells: [], fault: null };
  for (const [name, item] of fieldsOf(value, preset)) {
    const text = nameOf(item);
    const isNested = text === "" && typeof item === "object" && item !== null;
    if (isNested) dump.notes?.add("nested", `${name} of number ${line}`);
    put(record.cells, columns.place(name), isNested ? null : cleanCell(text));
  }
  return { records: [record], entries: [] };
}
