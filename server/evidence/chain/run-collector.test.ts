import fc from "fast-check";
import { expect, it } from "vitest";
import { type RowView, RunCollector } from "./run-collector";
import { type HeadClaim, type Link, MAX_BREAKS, type Run, Verifier, type VerifierInput } from "./verifier";

const view = (link: Link): RowView => ({
  ...link,
  isUnaltered: link.recomputed === link.checksum,
  links: (checksum) => link.prevChecksum === checksum,
  toLink: () => link,
});

const chainOf = (rows: number): Link[] =>
  Array.from({ length: rows }, (_, i) => ({
    seq: i + 1,
    id: `row ${i + 1}`,
    checksum: `sum ${i + 1}`,
    recomputed: `sum ${i + 1}`,
    prevChecksum: i === 0 ? null : `sum ${i}`,
  }));

/** Changes to the row at a place. */
const tampering: Record<string, (rows: Link[], at: number) => void> = {
  altered: (rows, at) => rows[at] && Object.assign(rows[at], { recomputed: "other" }),
  rehashed: (rows, at) => rows[at] && Object.assign(rows[at], { recomputed: "new", checksum: "new" }),
  relinked: (rows, at) => rows[at] && Object.assign(rows[at], { prevChecksum: "elsewhere" }),
  unlinked: (rows, at) => rows[at] && Object.assign(rows[at], { prevChecksum: null }),
  deleted: (rows, at) => void rows.splice(at, 1),
  "deleted with neighbours": (rows, at) => void rows.splice(at, 7),
  doubled: (rows, at) => void (rows[at] && rows.splice(at, 0, { ...rows[at] })),
  moved: (rows, at) => rows[at] && Object.assign(rows[at], { seq: rows[at].seq + 1_000 }),
  "without a number": (rows, at) => rows[at] && Object.assign(rows[at], { seq: Number.NaN }),
};

type Chain = { rows: readonly Link[]; head: HeadClaim };

/** The verdict over rows that were read in parts, as each row separately where there is one part a row. */
function judgeParts(input: VerifierInput, { rows, cuts, head }: Chain & { cuts: readonly number[] }) {
  const verifier = new Verifier(input);
  const nowhere = rows.filter(({ seq }) => Number.isNaN(seq)).length;
  const onMark = rows.filter(({ seq }) => seq === input.mark).length;
  const ends = [...new Set(cuts.map((cut) => cut % (rows.length + 1)))].sort((a, b) => a - b);
  let begin = 0;
  for (const end of [...ends, rows.length]) {
    const runs: Run[] = [];
    const collector = new RunCollector(input.mark, (run) => runs.push(run));
    for (const row of rows.slice(begin, end)) collector.add(view(row));
    collector.end();
    for (const run of runs) verifier.addRun(run);
    expect(runs.length).toBeLessThanOrEqual(MAX_BREAKS + 3 + 2 * nowhere + onMark);
    begin = end;
  }
  return verifier.finish(head);
}

function judgeRows(input: VerifierInput, { rows, head }: Chain) {
  const verifier = new Verifier(input);
  for (const row of rows) verifier.add(row);
  return verifier.finish(head);
}

const scenario = fc.record({
  length: fc.integer({ min: 0, max: 400 }),
  acts: fc.array(fc.record({ kind: fc.constantFrom(...Object.keys(tampering)), at: fc.nat(400) }), { maxLength: 6 }),
  isRuined: fc.boolean(),
  cuts: fc.array(fc.nat(400), { maxLength: 8 }),
  mark: fc.option(fc.nat(420), { nil: undefined }),
  pruned: fc.option(fc.nat(30), { nil: null }),
  head: fc.constantFrom("right", "absent", "unknown", "higher", "other"),
});

it("verifies a chain in parts with the same result as row by row, for any tampering", () => {
  fc.assert(
    fc.property(scenario, ({ length, acts, isRuined, cuts, mark, pruned, head }) => {
      const rows = chainOf(length).slice(pruned ?? 0);
      for (const { kind, at } of acts) tampering[kind]?.(rows, at);
      if (isRuined) for (const [at, row] of rows.entries()) if (at % 2 === 0) row.recomputed = "ruined";
      const last = { seq: length, checksum: `sum ${length}` };
      const heads: Record<string, HeadClaim> = {
        right: last,
        absent: "absent",
        unknown: "unknown",
        higher: { seq: length + 3, checksum: "beyond" },
        other: { ...last, checksum: "other" },
      };
      const input: VerifierInput = {
        start: { seq: 0, checksum: null },
        pruned: pruned === null ? null : { throughSeq: pruned, throughChecksum: pruned ? `sum ${pruned}` : null },
        mark,
      };
      const chain = { rows, head: heads[head] ?? "unknown" };
      expect(judgeParts(input, { ...chain, cuts })).toEqual(judgeRows(input, chain));
    }),
    { numRuns: 3_000 },
  );
});
