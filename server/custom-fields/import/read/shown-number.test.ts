import { expect, it } from "vitest";
import { styleOf } from "./number-format";
import { shownNumber } from "./shown-number";

/** Serial numbers, formats and texts as Excel shows them; those of 1904 as on the first Macintosh. */
it.for<[string, string, string, boolean?]>([
  ["45292", "yyyy-mm-dd", "2024-01-01"],
  ["45292.6041666667", "yyyy-mm-dd hh:mm", "2024-01-01T14:30:00"],
  ["43830", "dd/mm/yyyy", "2024-01-01", true],
  ["1", "dd/mm/yyyy", "1900-01-01"],
  ["59", "dd/mm/yyyy", "1900-02-28"],
  ["60", "dd/mm/yyyy", "1900-02-29"],
  ["61", "dd/mm/yyyy", "1900-03-01"],
  ["0.302083333333333", "hh:mm", "07:15"],
  ["0.302083333333333", "h:mm:ss AM/PM", "07:15", true],
  ["0.5000115740740741", "hh:mm:ss", "12:00:01"],
  ["1.25", "[h]:mm", "30:00"],
  ["1.25", "[$-409][hh]:mm:ss", "30:00"],
  ["45292", "mmm", "2024-01-01"],
  ["7", '"day" 0', "7"],
  ["1234567890123456", "General", "1234567890123456"],
  ["0.30000000000000004", "General", "0.3"],
  ["1.5E-7", "General", "0.00000015"],
  ["1.2E+3", "General", "1200"],
  ["1E+25", "General", "10000000000000000000000000"],
])("%s as %s is %s", ([raw, format, text, from1904 = false]) => {
  expect(shownNumber(raw, styleOf(164, format), from1904)).toBe(text);
});
