/** Places reported per kind. */
const MAX_PLACES = 8;

/** Findings during reading that a person should know: each kind once, with count and first places. */
export type FileNotes = {
  add: (kind: NoteKind, where: string) => void;
  /** Adds a note unless the same place was noted. */
  addOnce: (kind: NoteKind, where: string) => void;
  /** Notes in words, in order of appearance. */
  toTexts: () => string[];
};

const NOTES = {
  error: [
    "cell holds an error such as #N/A and is read as no value",
    "cells hold an error such as #N/A and are read as no value",
  ],
  formula: [
    "formula has no stored result and is read as no value",
    "formulas have no stored result and are read as no value",
  ],
  merged: [
    "merged range: only its first cell holds the value, the others are blank",
    "merged ranges: only the first cell of each holds the value, the others are blank",
  ],
  character: [
    "value held characters that cannot be stored; they were replaced",
    "values held characters that cannot be stored; they were replaced",
  ],
  nested: [
    "member is a list or an object without a name and is read as no value",
    "members are lists or objects without a name and are read as no value",
  ],
  unreadable: [
    "value holds \ufffd in place of letters that were not understood: another encoding may read them",
    "values hold \ufffd in place of letters that were not understood: another encoding may read them",
  ],
  digits: [
    "number has more digits than a spreadsheet keeps: those after the fifteenth are lost in the file",
    "numbers have more digits than a spreadsheet keeps: those after the fifteenth are lost in the file",
  ],
  quote: [
    "row has a quote that opens a cell and is not closed at its end: it was read as a letter",
    "rows have a quote that opens a cell and is not closed at its end: they were read as letters",
  ],
  hiddenRow: ["hidden or filtered row is left out", "hidden or filtered rows are left out"],
  hiddenColumn: ["hidden column is left out", "hidden columns are left out"],
  hiddenSheet: ["hidden sheet is read, since every visible one is blank or you chose it", "hidden sheets are read"],
  above: ["line above the header is left out", "lines above the header are left out"],
  heading: ["row repeats the header and is left out", "rows repeat the header and are left out"],
  mask: ["value is a mask (••••) and is read as no value", "values are masks (••••) and are read as no value"],
} as const;
type NoteKind = keyof typeof NOTES;

/** Creates empty notes for one file. */
export function createNotes(): FileNotes {
  const found = new Map<NoteKind, { count: number; places: string[] }>();
  const add = (kind: NoteKind, where: string) => {
    const known = found.get(kind);
    if (!known) found.set(kind, { count: 1, places: [where] });
    else if (++known.count <= MAX_PLACES) known.places.push(where);
  };
  const seen = new Set<string>();
  return {
    add,
    addOnce(kind, where) {
      const key = `${kind} ${where}`;
      if (!seen.has(key)) add(kind, where);
      seen.add(key);
    },
    toTexts: () =>
      [...found].map(([kind, { count, places }]) => {
        const [one, many] = NOTES[kind];
        return `${count.toLocaleString("en")} ${count === 1 ? one : many} (${places.join(", ")}${count > places.length ? " and others" : ""}).`;
      }),
  };
}
