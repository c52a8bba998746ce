import { coerceText, type DateOrder, dateParts, FALSE_WORDS, TRUE_WORDS } from "@/server/custom-fields/coerce";
import type { FieldType } from "@/server/custom-fields/schema";
import { MAX_CHOICE } from "@/server/custom-fields/schema";

/** Distinct values beyond which a column is not watched for choices any more. */
const MAX_DISTINCT = 50;
/** A column with at most this many different values, each used several times, is a dropdown. */
const MAX_GUESSED_CHOICES = 15;
const MIN_USES_PER_CHOICE = 3;
const SAMPLES = 5;

export type TypeGuess = { type: FieldType; options: string[] | null; dateOrder: DateOrder; dateOrderUnsure: boolean };
/** What is known of a source column after reading it: shown in the Fields step. */
export type ColumnProfile = { rows: number; filled: number; samples: string[]; guess: TypeGuess | null };

const LEADING_ZERO = /^[+-]?0\d/;
/** A text that looks like a choice on a form, not like a sentence. */
const isChoiceLike = (text: string) => text.length <= Math.min(60, MAX_CHOICE) && !text.includes("\n");

/** Watches one column go by, cell by cell, in memory that does not grow with the file. */
export class ColumnWatch {
  #filled = 0;
  #samples: string[] = [];
  #distinct: Map<string, number> | null = new Map();
  #boolean = true;
  #number = true;
  #date = true;
  /** Whether the first or the second number of a date can be a month, as far as seen. */
  #firstIsMonth = true;
  #secondIsMonth = true;
  #yearFirst = true;

  /** @param text a cleaned cell; blank ones count as not filled. */
  add(text: string): void {
    if (text === "") return;
    this.#filled++;
    if (this.#samples.length < SAMPLES && !this.#samples.includes(text)) this.#samples.push(text.slice(0, 120));
    if (this.#distinct) {
      this.#distinct.set(text, (this.#distinct.get(text) ?? 0) + 1);
      if (this.#distinct.size > MAX_DISTINCT) this.#distinct = null;
    }
    if (this.#boolean) this.#boolean = TRUE_WORDS.has(text.toLowerCase()) || FALSE_WORDS.has(text.toLowerCase());
    if (this.#number) this.#number = !LEADING_ZERO.test(text) && coerceText({ type: "number", options: null }, text).ok;
    if (this.#date) this.#watchDate(text);
  }

  #watchDate(text: string): void {
    const parts = dateParts(text);
    if (!parts) {
      this.#date = false;
      return;
    }
    const rule = { type: "date", options: null } as const;
    if (parts[0].length === 4) {
      this.#date = coerceText(rule, text, "ymd").ok;
      return;
    }
    this.#yearFirst = false;
    this.#firstIsMonth &&= coerceText(rule, text, "mdy").ok;
    this.#secondIsMonth &&= coerceText(rule, text, "dmy").ok;
    this.#date = this.#firstIsMonth || this.#secondIsMonth;
  }

  #dateOrder(usual: DateOrder): Pick<TypeGuess, "dateOrder" | "dateOrderUnsure"> {
    if (this.#yearFirst) return { dateOrder: "ymd", dateOrderUnsure: false };
    if (this.#firstIsMonth && this.#secondIsMonth)
      return { dateOrder: usual === "ymd" ? "mdy" : usual, dateOrderUnsure: true };
    return { dateOrder: this.#firstIsMonth ? "mdy" : "dmy", dateOrderUnsure: false };
  }

  #guess(usual: DateOrder): TypeGuess | null {
    if (this.#filled === 0) return null;
    const plain = { options: null, dateOrder: usual, dateOrderUnsure: false };
    if (this.#boolean) return { type: "boolean", ...plain };
    if (this.#number) return { type: "number", ...plain };
    if (this.#date) return { type: "date", options: null, ...this.#dateOrder(usual) };
    const choices = this.#distinct && [...this.#distinct.keys()];
    const few =
      choices &&
      choices.length >= 2 &&
      choices.length <= MAX_GUESSED_CHOICES &&
      this.#filled >= choices.length * MIN_USES_PER_CHOICE &&
      choices.every(isChoiceLike);
    return few ? { type: "dropdown", ...plain, options: choices.sort() } : { type: "text", ...plain };
  }

  /** @param rows rows read in all. @param usual the product's way to write dates, for columns that leave it open. */
  profile(rows: number, usual: DateOrder): ColumnProfile {
    return { rows, filled: this.#filled, samples: this.#samples, guess: this.#guess(usual) };
  }
}
