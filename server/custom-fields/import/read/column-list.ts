import { trimText } from "@/server/custom-fields/import/normalise";
import type { DeclaredField, FieldScope } from "@/server/custom-fields/import/plan-schema";
import { MAX_IMPORT_COLUMNS } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";

const tooMany = () =>
  new AppError("payload_too_large", `The file has more than ${MAX_IMPORT_COLUMNS} columns or fields.`);

/** A header without trailing blanks. @throws AppError payload_too_large beyond the limit, before any work on it. */
export function requireHeader(cells: readonly string[]): string[] {
  let length = cells.length;
  while (length > 1 && cells[length - 1]?.trim() === "") length--;
  if (length > MAX_IMPORT_COLUMNS) throw tooMany();
  return cells.slice(0, length);
}

/**
 * Known kind of a column: a computer's identifier, a field of a scope, a field of unknown scope (values), or either
 * (plain).
 */
export type ColumnKind = "identity" | FieldScope | "values" | "plain";

/** Kinds that match a column of the same title, likeliest first. */
const SAME: Record<ColumnKind, readonly ColumnKind[]> = {
  identity: ["identity", "plain"],
  computer: ["computer", "values", "plain"],
  location: ["location", "values", "plain"],
  client: ["client", "values", "plain"],
  values: ["computer", "values", "plain", "location", "client"],
  plain: ["identity", "computer", "plain", "values", "location", "client"],
};
/** Kinds that keep their title if columns share one; others are numbered. */
const FIRST: readonly ColumnKind[] = ["identity", "plain", "computer", "values"];
const rankOf = (kind: ColumnKind): number => (FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length);

type Column = {
  /** Title from the source, made unique. */
  name: string;
  title: string;
  kind: ColumnKind;
  declared: DeclaredField | null;
  /** True if the source has values of this title without a scope. */
  isOpen: boolean;
};

/** Columns of a source in order of appearance; grows during reading. */
export class ColumnList {
  readonly all: Column[] = [];
  readonly #places = new Map<string, number[]>();
  readonly #titles = new Set<string>();

  get titles(): string[] {
    return this.all.map(({ title }) => title);
  }

  get declared(): (DeclaredField | null)[] {
    return this.all.map(({ declared }) => declared);
  }

  /**
   * Position of a title (case-insensitive); a new one if unknown, or all columns of that title are of another kind.
   * @throws AppError payload_too_large beyond the limit of columns.
   */
  place(title: string, { declared = null, kind = declared?.scope ?? "plain" }: Partial<Placed> = {}): number {
    const name = trimText(title).replace(/\s+/g, " ");
    const alike = this.#places.get(name.toLowerCase()) ?? [];
    const isOpen = kind === "plain" || kind === "values";
    const known = this.#find(kind, alike);
    const column = known === undefined ? undefined : this.all[known];
    if (known !== undefined && column) {
      if (!isOpen) column.kind = kind;
      column.isOpen ||= isOpen;
      if (declared) column.declared = column.declared ? merge(column.declared, declared) : declared;
      return known;
    }
    return this.#add({ name, title: name, kind, declared, isOpen }, alike);
  }

  #find(kind: ColumnKind, alike: readonly number[]): number | undefined {
    for (const same of SAME[kind]) {
      const found = alike.find((i) => this.all[i]?.kind === same);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #add(column: Column, alike: readonly number[]): number {
    if (this.all.length >= MAX_IMPORT_COLUMNS) throw tooMany();
    // Values belong to computers, whichever scope was declared first.
    const held = alike.find((i) => this.all[i]?.isOpen && this.all[i]?.kind !== "identity");
    const holder = held === undefined ? undefined : this.all[held];
    const isMoved = column.kind === "computer" && holder !== undefined;
    if (isMoved) {
      const { kind, declared } = holder;
      Object.assign(holder, { kind: column.kind, declared: column.declared });
      Object.assign(column, { kind, declared });
    }
    const place = this.all.push(column) - 1;
    this.#places.set(column.name.toLowerCase(), [...alike, place]);
    for (let n = 2; this.#titles.has(column.title.toLowerCase()); n++) column.title = `${column.name} (${n})`;
    this.#titles.add(column.title.toLowerCase());
    const before = alike.map((i) => this.all[i]).find((one) => one && one.title === one.name);
    if (before && rankOf(column.kind) < rankOf(before.kind))
      [before.title, column.title] = [`${before.name}${column.title.slice(column.name.length)}`, column.name];
    return isMoved && held !== undefined ? held : place;
  }
}

type Placed = { declared: DeclaredField | null; kind: ColumnKind };

/** Merges two declarations of a field: secret wins, choices add up. */
function merge(a: DeclaredField, b: DeclaredField): DeclaredField {
  const options = a.options || b.options ? [...new Set([...(a.options ?? []), ...(b.options ?? [])])] : null;
  return {
    type: a.type ?? b.type,
    options,
    secret: a.secret || b.secret,
    scope: a.scope,
    section: a.section ?? b.section,
  };
}
