import type { DeclaredField, Identifier } from "@/server/custom-fields/import/plan-schema";
import type { ColumnList } from "./column-list";
import type { SourceCell } from "./read-delimited";

/** A record of a source; cells in the order of its columns (missing at the end: no value). */
export type SourceRecord = { line: number; cells: SourceCell[]; fault: string | null };

/** Identifier of a line's computer in one column, and the kind of identifier known for the title. */
export type IdentityCell = { title: string; value: string; which: Identifier | undefined };

/** One (computer, field, value). All entries have identities with the same titles in the same order. */
export type LongEntry = {
  line: number;
  identity: readonly IdentityCell[];
  title: string;
  value: SourceCell;
  declared?: DeclaredField;
  fault?: string | null;
};

export function put(cells: SourceCell[], column: number, value: SourceCell): void {
  while (cells.length < column) cells.push(null);
  cells[column] = value;
}

type Entry = Pick<LongEntry, "line" | "title" | "value" | "declared">;

/** Adds a computer's value of a field to its record; a different second one is a fault. */
export function add(record: SourceRecord, columns: ColumnList, entry: Entry): void {
  if (entry.title === "") {
    if (entry.value) record.fault ??= `line ${entry.line} has a value without a field`;
    return;
  }
  const place = columns.place(entry.title, entry.declared ? { declared: entry.declared } : { kind: "values" });
  const before = record.cells[place];
  if (before && entry.value && before !== entry.value)
    record.fault ??= `line ${entry.line} gives a second value for ${entry.title}`;
  else if (!before && entry.value !== null) put(record.cells, place, entry.value);
}

const lower = (cell: IdentityCell | undefined): string => cell?.value.toLowerCase() ?? "";

/** A computer as described by its lines so far. */
type Computer = { record: SourceRecord; identity: IdentityCell[] };

/** Columns in which lines of one ID must agree. */
const AGREED: ReadonlySet<Identifier | undefined> = new Set(["hostname", "organization", "serial"]);

/** Fills in identifiers that earlier lines left blank; a different second name, client or serial is a fault. */
function describe({ record, identity }: Computer, columns: ColumnList, entry: LongEntry): void {
  entry.identity.forEach((cell, i) => {
    const before = lower(identity[i]);
    if (before === "") {
      identity[i] = cell;
      put(record.cells, columns.place(cell.title, { kind: "identity" }), cell.value);
    } else if (AGREED.has(cell.which) && cell.value !== "" && lower(cell) !== before)
      record.fault ??= `line ${entry.line} gives a second value for ${cell.title}`;
  });
}

/** Merges another record of the same computer. */
function join({ record, identity }: Computer, columns: ColumnList, other: Computer): void {
  const places = new Set(identity.map(({ title }) => columns.place(title, { kind: "identity" })));
  other.record.cells.forEach((cell, i) => {
    const before = record.cells[i];
    if (!before && cell !== null) put(record.cells, i, cell);
    else if (before && cell && cell !== before && !places.has(i))
      record.fault ??= `has two values for ${columns.titles[i]}`;
  });
  record.fault ??= other.record.fault;
}

/**
 * Joins computers that share a hostname, have no ID and agree in their data; a blank that could match several is left
 * alone. @returns the merged ones
 */
function joinAlike(alike: readonly Computer[], columns: ColumnList): Computer[] {
  const [any] = alike;
  const differing = (any?.identity ?? []).flatMap((_, i) => {
    const said = new Set(alike.map(({ identity }) => lower(identity[i])));
    said.delete("");
    return said.size > 1 ? [i] : [];
  });
  const distinct = new Map<string, Computer>();
  return alike.filter((computer) => {
    const { record, identity } = computer;
    const blank = differing.find((i) => lower(identity[i]) === "");
    if (blank !== undefined) record.fault ??= `has no ${identity[blank]?.title}, in which computers of its name differ`;
    const key = JSON.stringify(differing.map((i) => lower(identity[i])));
    const first = distinct.get(key);
    if (first) join(first, columns, computer);
    else distinct.set(key, computer);
    return first !== undefined;
  });
}

/**
 * Turns (computer, field, value) entries into one record per computer, in order of first lines. A computer is
 * identified by ID, else by all its identifiers, because two clients may each have a computer of one name. An entry
 * without a computer becomes its own faulty record. Held in memory, bounded by the row limit.
 */
export async function* pivot(entries: AsyncIterable<LongEntry>, columns: ColumnList): AsyncGenerator<SourceRecord> {
  const computers = new Map<string, Computer>();
  const byName = new Map<string, Computer[]>();
  let nameless = 0;
  for await (const entry of entries) {
    const named = (which: Identifier) =>
      entry.fault ? undefined : entry.identity.find((cell) => cell.which === which && cell.value !== "");
    const id = named("sourceId");
    const name = id ? undefined : named("hostname");
    const key = JSON.stringify(
      id ? ["id", id.title, lower(id)] : name ? ["name", ...entry.identity.map(lower)] : nameless++,
    );
    const fault = id || name ? null : (entry.fault ?? "names no computer");
    const known = computers.get(key);
    const computer = known ?? { record: { line: entry.line, cells: [], fault }, identity: [] };
    if (!known || id) describe(computer, columns, entry);
    add(computer.record, columns, entry);
    if (known) continue;
    computers.set(key, computer);
    const alike = name && byName.get(lower(name));
    if (alike) alike.push(computer);
    else if (name) byName.set(lower(name), [computer]);
  }
  const joined = new Set([...byName.values()].flatMap((alike) => joinAlike(alike, columns)));
  for (const computer of computers.values()) if (!joined.has(computer)) yield computer.record;
}
