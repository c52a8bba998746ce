import { BASES, joined, linesOf, type Mutation, ROWS } from "./base-bundles";
import { checkpointOf, createBundle, logKey, sealed, signedBy } from "./bundles";

/**
 * Input that libraries read differently (white space, lone surrogates, invalid dates, lengths): all verifiers must
 * agree. Sealed again by the log's key where needed.
 */

const WHOLE = BASES.whole;

const resealed = (text: string): string => sealed(joined(linesOf(text).slice(0, -1)));

function replaced(from: string, to: string): string {
  const text = WHOLE.replace(from, to);
  if (text === WHOLE) throw new Error(`the bundle holds no ${from}`);
  return text;
}

const changed = (name: string, text: string, verdict: Mutation["verdict"]): Mutation => ({
  name,
  text: resealed(text),
  verdict,
});

/** A note with an additional signature of an unknown key, which anyone can add to a seal. */
const withSigner = (name: string, verdict: Mutation["verdict"]): Mutation => ({
  name: `a seal with a signature of ${JSON.stringify(name)}`,
  text: WHOLE.replace(/\\n"\}\n$/, () => `\\n\u2014 ${name} AAAAAAA=\\n"}\n`),
  verdict,
  hasUnknownSigner: true,
});

/** A checkpoint with other lines than the server writes, signed by the log's key. */
const withCheckpoint = (name: string, text: string, verdict: Mutation["verdict"]): Mutation => {
  const line = `${JSON.stringify({ type: "checkpoint", note: signedBy(text, [logKey]) })}`;
  return { name, text: resealed(joined(linesOf(WHOLE).with(1, line))), verdict };
};

const NO_DAYS = [
  "2026-02-30T00:00:00.000Z",
  "2027-02-29T00:00:00.000Z",
  "2026-02-20T24:00:00.000Z",
  "0000-01-01T00:00:00.000Z",
];
const CREATED = '"createdAt":"2026-11-20T14:06:00.000Z"';

export const ODD_WRITINGS: Mutation[] = [
  ...["a\u0085b", "a\u00a0b", "a\u2003b", "a\u2028b", "a\u0090b", "a+b"].map((name) => withSigner(name, "broken")),
  ...["a\ufeffb", "a\u200bb", "😀", "é"].map((name) => withSigner(name, "intact")),
  ...NO_DAYS.flatMap((day) => [
    changed(`created on ${day}`, replaced(CREATED, `"createdAt":"${day}"`), "broken"),
    withCheckpoint(`signed on ${day}`, checkpointOf(ROWS).replace(/signed-at .*/, `signed-at ${day}`), "broken"),
    {
      name: `entries from ${day} on`,
      text: createBundle({ rows: ROWS, range: { kind: "time", from: day, to: null }, shown: () => true }),
      verdict: "broken" as const,
    },
  ]),
  changed("created in the year 1", replaced(CREATED, '"createdAt":"0001-01-01T00:00:00.000Z"'), "intact"),
  changed("half a surrogate pair, escaped", replaced('"Contoso"', '"Contoso \\ud83d"'), "broken"),
  changed("a surrogate pair, escaped", replaced('"Contoso"', '"Contoso \\ud83d\\ude00"'), "broken"),
  changed("an unusual character", replaced('"Contoso"', '"Contoso \u2028\u007f\u0090\uffff"'), "intact"),
  withCheckpoint("further lines of 64 KiB in characters", `${checkpointOf(ROWS)}${"x".repeat(65_000)}\n`, "intact"),
  withCheckpoint("further lines of 80 KB in bytes", `${checkpointOf(ROWS)}${"ü".repeat(40_000)}\n`, "broken"),
  withCheckpoint("further lines of 60 KB in pairs", `${checkpointOf(ROWS)}${"😀".repeat(15_000)}\n`, "intact"),
];
