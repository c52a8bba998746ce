"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTRPC } from "@/components/trpc";
import type { ImportState, Plan, PlanField } from "@/server/custom-fields/import/schema";

const SAVE_AFTER_MS = 400;
const NO_PLAN: Plan = { identifiers: { sourceId: null, hostname: null, organization: null, serial: null }, fields: [] };

export type PlanDraft = {
  plan: Plan;
  change: (next: Plan) => void;
  /** Stays the same function, so that a row need not be drawn again because another one has changed. */
  changeField: (column: number, change: Partial<PlanField>) => void;
  getPlan: () => Plan;
  /** Saves what has not been saved yet; resolves when nothing is being saved any more. */
  flush: () => Promise<unknown>;
  error: unknown;
};

/**
 * The mapping as it is edited: shown at once, saved on the server shortly after, so that a closed tab loses nothing.
 * What is shown is React's own state: the cache notifies too late for a text field to keep its cursor.
 */
export function usePlanDraft(state: ImportState): PlanDraft | null {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const key = trpc.imports.get.queryKey({ id: state.id });
  const [draft, setDraft] = useState<Plan | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const unsaved = useRef<Plan | null>(null);
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const save = useMutation(
    trpc.imports.savePlan.mutationOptions({
      onSuccess: (saved) => {
        if (!unsaved.current) {
          cache.setQueryData(key, saved);
          setDraft(null);
        }
        return cache.invalidateQueries(trpc.imports.faults.queryFilter({ id: state.id }));
      },
    }),
  );
  const flush = () => {
    if (timer.current) clearTimeout(timer.current);
    timer.current = null;
    const plan = unsaved.current;
    unsaved.current = null;
    if (plan) saving.current = save.mutateAsync({ id: state.id, plan });
    return saving.current;
  };
  const plan = draft ?? state.plan;
  const change = (next: Plan) => {
    unsaved.current = next;
    latest.current.plan = next;
    setDraft(next);
    cache.setQueryData(key, (old: ImportState | undefined) => old && { ...old, plan: next, status: "staged" as const });
    if (timer.current) clearTimeout(timer.current);
    timer.current = setTimeout(() => void latest.current.flush().catch(() => {}), SAVE_AFTER_MS);
  };
  const latest = useRef({ plan, flush, change });
  latest.current = { plan, flush, change };
  useEffect(() => () => void latest.current.flush().catch(() => {}), []);
  const getPlan = useCallback(() => latest.current.plan ?? NO_PLAN, []);
  const changeField = useCallback(
    (column: number, part: Partial<PlanField>) => {
      const before = getPlan();
      const fields = before.fields.map((field) => (field.column === column ? { ...field, ...part } : field));
      latest.current.change({ ...before, fields });
    },
    [getPlan],
  );
  return plan && { plan, change, changeField, getPlan, flush, error: save.error };
}
