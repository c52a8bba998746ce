"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ImportState, Plan, PlanField } from "@/server/custom-fields/import/schema";
import { useTRPC } from "../trpc";

const SAVE_AFTER_MS = 400;

export type PlanDraft = {
  plan: Plan;
  change: (next: Plan) => void;
  changeField: (column: number, change: Partial<PlanField>) => void;
  /** Saves what has not been saved yet; settled when nothing is on its way any more. */
  flush: () => Promise<unknown>;
  error: unknown;
};

/**
 * The mapping as it is being made: shown at once, kept on the server shortly after, so that a closed tab loses nothing.
 * What is shown is React's own state: the cache tells its news too late for a text field to keep its cursor.
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
  const latest = useRef(flush);
  latest.current = flush;
  useEffect(() => () => void latest.current().catch(() => {}), []);
  const plan = draft ?? state.plan;
  if (!plan) return null;
  const change = (next: Plan) => {
    unsaved.current = next;
    setDraft(next);
    cache.setQueryData(key, (old: ImportState | undefined) => old && { ...old, plan: next, status: "staged" as const });
    if (timer.current) clearTimeout(timer.current);
    timer.current = setTimeout(() => void latest.current().catch(() => {}), SAVE_AFTER_MS);
  };
  const changeField = (column: number, part: Partial<PlanField>) =>
    change({ ...plan, fields: plan.fields.map((field) => (field.column === column ? { ...field, ...part } : field)) });
  return { plan, change, changeField, flush, error: save.error };
}
