import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Entry } from "@/components/audit/entry";

const SLIDE_MS = 140;
/** More than a screenful is not worth animating. */
const MAX_SLIDING = 30;
const FROM_ABOVE = [
  { transform: "translateY(-8px)", opacity: 0 },
  { transform: "none", opacity: 1 },
];

/** Slides rows in once as they arrive, unless the user prefers reduced motion. */
export function useArrivals(table: RefObject<HTMLTableElement | null>, shown: readonly Entry[]): void {
  const seen = useRef(new Set<string>());
  const pending = useRef<string[]>([]);
  useLayoutEffect(() => {
    pending.current.push(...shown.flatMap(({ id }) => (seen.current.has(id) ? [] : [id])));
    seen.current = new Set(shown.map(({ id }) => id));
  }, [shown]);
  // Runs after every render, because the table shows the rows one render later.
  useLayoutEffect(() => {
    if (pending.current.length === 0) return;
    const prefersReducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const arrived = pending.current.filter((id) => {
      const row = table.current?.querySelector(`[data-entry="${CSS.escape(id)}"]`)?.closest("tr");
      if (row && !prefersReducedMotion) row.animate(FROM_ABOVE, { duration: SLIDE_MS, easing: "ease-out" });
      return row;
    });
    pending.current = pending.current.filter((id) => !arrived.includes(id)).slice(-MAX_SLIDING);
  });
}
