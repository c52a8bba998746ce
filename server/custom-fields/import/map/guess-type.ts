import { coerceText, dateParts, FALSE_WORDS, TRUE_WORDS } from "@/server/custom-fields/coerce";
import { type Misfit, READINGS, type Reading, type SourceColumn } from "@/server/custom-fields/import/plan-schema";
import { DATE_ORDERS, type DateOrder, MAX_CHOICE, MAX_TEXT_VALUE } from "@/server/custom-fields/schema";
import { fromKeys } from "@/server/ground/records";

/** Distinct values after which a column is no longer a candidate for a dropdown. */
const MAX_DISTINCT = 50;
/** A column with at most this many values, each used repeatedly, is a dropdown. */
const MAX_GUESSED_CHOICES = 15;
const MIN_USES_PER_CHOICE = 3;
const SAMPLES = 5;
const SAMPLE_CHARS = 120;
/** Examples shown of values that do not fit. */
const ODD_VALUES = 3;
const ODD_CHARS = 60;
/** A type is accepted if at most one value in ten does not fit, or only one among several. */
const MAX_ODD_SHARE = 0.1;
const MIN_FILLED_FOR_ONE_ODD = 5;
/** Dates are distinctive: a column counts as dates if at most one value in five is not, or only one. */
const MAX_ODD_DATES = 0.2;
const MIN_DATES = 2;
/** Cache of parsed texts: most columns repeat them. */
const CACHED = 2_000;

type TypeGuess = NonNullable<SourceColumn["guess"]>;
/** Facts about a source column after reading it, shown in the Fields step. */
export type ColumnProfile = Pick<SourceColumn, "rows" | "filled" | "samples" | "misfits" | "decimalComma" | "guess">;

const LEADING_ZERO = /^[+-]?0\d/;
const NUMERIC_START = /^[+-]?\d/;
/** Longest word for yes or no, and longest date. */
const LONGEST_WORD = 10;
const LONGEST_DATE = 40;
/** True for a text that looks like a choice on a form, not a sentence. */
const isChoiceLike = (text: string) => text.length <= Math.min(60, MAX_CHOICE) && !text.includes("\n");

/** 1.234 is a decimal or, with decimal commas, one thousand two hundred and thirty-four. */
const MAYBE_GROUPED = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;

/** point: a point in a number is surely decimal; comma: the number has a decimal comma. */
type Fits = Record<Reading, boolean> & {
  leadingZero: boolean;
  hasClock: boolean;
  comma: boolean;
  point: "sure" | "open" | null;
};

const isDate = (text: string, order: DateOrder) =>
  coerceText({ type: "date", options: null }, text, { dateOrder: order }).ok;

/** Types that fit a text. Numbers start with a digit. */
function fitsOf(text: string): Fits {
  const word = text.length <= LONGEST_WORD ? text.toLowerCase() : "";
  const isNumeric = NUMERIC_START.test(text);
  const parts = text.length <= LONGEST_DATE ? dateParts(text) : null;
  const comma = isNumeric && /^[^,]*,\d+$/.test(text);
  return {
    text: text.length <= MAX_TEXT_VALUE,
    number: isNumeric && coerceText({ type: "number", options: null }, text).ok,
    boolean: TRUE_WORDS.has(word) || FALSE_WORDS.has(word),
    ...fromKeys(DATE_ORDERS, (order) => parts !== null && isDate(text, order)),
    leadingZero: LEADING_ZERO.test(text) && parts === null,
    hasClock: parts?.hasClock ?? false,
    comma,
    point: !isNumeric || comma || !text.includes(".") ? null : MAYBE_GROUPED.test(text) ? "open" : "sure",
  };
}

/** Profiles one column cell by cell, in memory independent of the file's size. */
export class ColumnWatch {
  #filled = 0;
  #samples: string[] = [];
  #distinct: Map<string, number> | null = new Map();
  #cache = new Map<string, Fits>();
  #misfits = fromKeys(READINGS, (): Misfit => ({ count: 0, odd: [] }));
  #leadingZeros = 0;
  #points = { sure: 0, open: 0 };
  #commas = 0;
  #clocks = 0;
  /** Cells with a mask instead of a value. */
  masked = 0;

  /** @param text a cleaned cell; blanks count as not filled. @param line its line. @param times its number of uses. */
  add(text: string, line = 0, times = 1): void {
    if (text === "") return;
    this.#filled += times;
    if (this.#samples.length < SAMPLES && !this.#samples.includes(text))
      this.#samples.push(text.slice(0, SAMPLE_CHARS));
    if (this.#distinct) {
      this.#distinct.set(text, (this.#distinct.get(text) ?? 0) + times);
      if (this.#distinct.size > MAX_DISTINCT) this.#distinct = null;
    }
    const fits = this.#fits(text);
    if (fits.comma && fits.number) this.#commas += times;
    if (fits.hasClock) this.#clocks += times;
    if (fits.leadingZero) this.#leadingZeros += times;
    if (fits.point && fits.number) this.#points[fits.point] += times;
    for (const reading of READINGS) if (!fits[reading]) this.#note(this.#misfits[reading], text, { line, times });
  }

  #fits(text: string): Fits {
    const known = this.#cache.get(text);
    if (known) return known;
    const fits = fitsOf(text);
    if (this.#cache.size >= CACHED) this.#cache.clear();
    this.#cache.set(text, fits);
    return fits;
  }

  #note(misfit: Misfit, text: string, { line, times }: { line: number; times: number }): void {
    misfit.count += times;
    if (misfit.odd.length >= ODD_VALUES) return;
    const shown = text.slice(0, ODD_CHARS);
    if (!misfit.odd.some((one) => one.text === shown)) misfit.odd.push({ text: shown, line });
  }

  #isNearlyAll(reading: Reading): boolean {
    const odd = this.#misfits[reading].count;
    return odd <= this.#filled * MAX_ODD_SHARE || (odd === 1 && this.#filled >= MIN_FILLED_FOR_ONE_ODD);
  }

  /** Dates would lose a time of day, so such a column is text unless a person chooses dates. */
  #isOfDates(order: DateOrder): boolean {
    const odd = this.#misfits[order].count;
    const isMost = odd <= Math.max(1, this.#filled * MAX_ODD_DATES) && this.#filled - odd >= MIN_DATES;
    return this.#clocks === 0 && (odd === 0 || isMost);
  }

  #dateOrder(usual: DateOrder): Pick<TypeGuess, "dateOrder" | "dateOrderUnsure"> {
    const { mdy, dmy, ymd } = this.#misfits;
    if (ymd.count < this.#filled && ymd.count === mdy.count && ymd.count === dmy.count)
      return { dateOrder: "ymd", dateOrderUnsure: false };
    if (mdy.count === dmy.count) return { dateOrder: usual === "ymd" ? "mdy" : usual, dateOrderUnsure: true };
    return { dateOrder: mdy.count < dmy.count ? "mdy" : "dmy", dateOrderUnsure: false };
  }

  #choices(): string[] | null {
    const choices = this.#distinct && [...this.#distinct.keys()];
    const isFew =
      choices &&
      choices.length >= 2 &&
      choices.length <= MAX_GUESSED_CHOICES &&
      this.#filled >= choices.length * MIN_USES_PER_CHOICE &&
      choices.every(isChoiceLike);
    return isFew ? choices.sort() : null;
  }

  /** False if a number would lose a leading zero, or no value shows whether a point is decimal. */
  #isPlainNumber(): boolean {
    const { open, sure } = this.#points;
    return this.#leadingZeros === 0 && (open === 0 || (sure > 0 && this.#commas === 0));
  }

  /** Type that nearly all values fit. */
  #guess(usual: DateOrder): TypeGuess | null {
    if (this.#filled === 0) return null;
    const order = this.#dateOrder(usual);
    const plain = { options: null, dateOrder: usual, dateOrderUnsure: false };
    // A type that fits all values beats one that fits nearly all: ones and a few twos are numbers, not checkboxes.
    for (const fits of [
      (reading: Reading) => this.#misfits[reading].count === 0,
      (reading: Reading) => this.#isNearlyAll(reading),
    ]) {
      if (fits("boolean")) return { type: "boolean", ...plain };
      if (fits("number") && this.#isPlainNumber()) return { type: "number", ...plain };
      if (this.#isOfDates(order.dateOrder)) return { type: "date", options: null, ...order };
    }
    const options = this.#choices();
    return options ? { type: "dropdown", ...plain, options } : { type: "text", ...plain };
  }

  /** @param rows total rows read. @param usual the product's date order, for ambiguous columns. */
  profile(rows: number, usual: DateOrder): ColumnProfile {
    return {
      rows,
      filled: this.#filled,
      samples: this.#samples,
      misfits: this.#misfits,
      decimalComma: this.#commas > 0 && this.#points.sure === 0,
      guess: this.#guess(usual),
    };
  }
}
