import { MAX_IMPORT_COLUMNS } from "@/server/custom-fields/import/limits-schema";
import type { DeclaredField } from "@/server/custom-fields/import/map/column-schema";
import { trimText } from "@/server/custom-fields/import/normalise";
import { AppError } from "@/server/errors";

const tooMany = () =>
  new AppError("payload_too_large", `The file has more than ${MAX_IMPORT_COLUMNS} columns or fields.`);

/** A header without blank cells at its end. @throws AppError payload_too_large beyond the limit, before any work on it. */
export function requireHeader(cells: readonly string[]): string[] {
  let length = cells.length;
  while (length > 1 && cells[length - 1]?.trim() === "") length--;
  if (length > MAX_IMPORT_COLUMNS) throw tooMany();
  return cells.slice(0, length);
}

/** The columns of a source in the order of their first appearance; it grows while the source is read. */
export class ColumnList {
  readonly titles: string[] = [];
  readonly declared: (DeclaredField | null)[] = [];
  readonly #places = new Map<string, number>();

  /**
   * The place of a title (compared without case), a new one where it is new.
   * @throws AppError payload_too_large beyond the limit of columns.
   */
  place(title: string, declared: DeclaredField | null = null): number {
    const name = trimText(title).replace(/\s+/g, " ");
    const key = name.toLowerCase();
    const known = this.#places.get(key);
    if (known !== undefined) {
      const before = this.declared[known] ?? null;
      if (declared) this.declared[known] = before ? merge(before, declared) : declared;
      return known;
    }
    if (this.titles.length >= MAX_IMPORT_COLUMNS) throw tooMany();
    this.#places.set(key, this.titles.length);
    this.declared.push(declared);
    return this.titles.push(name) - 1;
  }
}

/** What two sources say of one field: a secret stays one, choices add up. */
function merge(a: DeclaredField, b: DeclaredField): DeclaredField {
  const options = a.options || b.options ? [...new Set([...(a.options ?? []), ...(b.options ?? [])])] : null;
  return {
    type: a.type ?? b.type,
    options,
    secret: a.secret || b.secret,
    scope: a.scope === "computer" ? b.scope : a.scope,
    section: a.section ?? b.section,
  };
}
