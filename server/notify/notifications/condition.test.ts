import fc from "fast-check";
import { expect, test } from "vitest";
import { KIND_NAMES, KINDS, type NotificationKind } from "@/server/notify/vocabulary";
import { type Open, type Step, stepOf } from "./evaluate";

const MINUTE = 60_000;
const AT = Date.UTC(2026, 0, 1);

/** The contents of a table: at most one open row, and the reports. */
class Rows {
  open: Open | null = null;
  readonly told: { what: "raised" | "resolved"; at: number }[] = [];

  take(step: Step, now: Date): void {
    const at = now.getTime();
    if (step.do === "begin") this.open = { since: now, observedAt: now, raisedAt: step.isRaised ? now : null };
    if (step.do === "wait" && this.open) this.open = { ...this.open, since: step.since, observedAt: now };
    if (step.do === "raise" && this.open) this.open = { since: step.since, observedAt: now, raisedAt: now };
    if (step.do === "raise" || (step.do === "begin" && step.isRaised)) this.told.push({ what: "raised", at });
    if (step.do === "resolve") this.told.push({ what: "resolved", at });
    if (step.do === "resolve" || step.do === "forget") this.open = null;
  }
}

type Observation = { pause: number; holds: boolean };
const looks = fc.array(fc.record({ pause: fc.integer({ min: 1, max: 40 }), holds: fc.boolean() }), { maxLength: 80 });

function play(kind: NotificationKind, all: readonly Observation[]) {
  const rows = new Rows();
  const seen: { at: number; holds: boolean }[] = [];
  let at = AT;
  for (const { pause, holds } of all) {
    at += pause * MINUTE;
    rows.take(stepOf(kind, rows.open, { holds, now: new Date(at) }), new Date(at));
    seen.push({ at, holds });
  }
  return { rows, seen };
}

test.each(KIND_NAMES)("%s alternates between raised and resolved for any observations", (kind) => {
  fc.assert(
    fc.property(looks, (all) => {
      const { rows } = play(kind, all);
      rows.told.forEach(({ what }, i) => {
        expect(what).toBe(i % 2 === 0 ? "raised" : "resolved");
      });
      expect(rows.open?.raisedAt ? 1 : 0).toBe(rows.told.length % 2);
    }),
    { numRuns: 300 },
  );
});

test.each(KIND_NAMES)("%s is raised after its full hold time and resolved at the first clear check", (kind) => {
  const { holdsMs, isWatched } = KINDS[kind];
  fc.assert(
    fc.property(looks, (all) => {
      const { rows, seen } = play(kind, all);
      for (const { what, at } of rows.told) {
        const upTo = seen.filter((look) => look.at <= at).reverse();
        const run = upTo.slice(0, upTo.findIndex(({ holds }) => holds !== (what === "raised")) >>> 0);
        const first = run.at(-1);
        if (what === "resolved") expect(run.length).toBe(1);
        else {
          expect(at - (first?.at ?? Number.NaN)).toBeGreaterThanOrEqual(holdsMs);
          const watched = run.every((look, i) => i === 0 || (run[i - 1]?.at ?? 0) - look.at <= 5 * MINUTE);
          if (isWatched && holdsMs > 0 && run.length > 1 && !watched)
            // Only the part since the last gap counts.
            expect(at - lastGapEnd(run)).toBeGreaterThanOrEqual(holdsMs);
        }
      }
      // Nothing that has held for long enough goes unsaid.
      const last = seen.at(-1);
      const raised = rows.open?.raisedAt;
      if (last?.holds && rows.open && !raised) expect(last.at - rows.open.since.getTime()).toBeLessThan(holdsMs);
    }),
    { numRuns: 300 },
  );
});

/** When the newest stretch without a gap began; the run is newest first. */
function lastGapEnd(run: readonly { at: number }[]): number {
  for (let i = 0; i + 1 < run.length; i++) {
    const [newer, older] = [run[i], run[i + 1]];
    if (newer && older && newer.at - older.at > 5 * MINUTE) return newer.at;
  }
  return run.at(-1)?.at ?? Number.NaN;
}

test("a condition that was never notified ends silently", () => {
  const seen = { since: new Date(AT), observedAt: new Date(AT), raisedAt: null };
  expect(stepOf("chain.unproven", seen, { holds: false, now: new Date(AT + MINUTE) })).toEqual({ do: "forget" });
});
