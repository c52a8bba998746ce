"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTRPC } from "@/components/trpc";
import { problemOf } from "@/components/ui/notice";
import { NO_IDENTIFIERS, type Plan, type PlanField } from "@/server/custom-fields/import/plan-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { useChange } from "./use-change";

const SAVE_AFTER_MS = 400;
const NO_PLAN: Plan = { identifiers: NO_IDENTIFIERS, fields: [] };

export type PlanDraft = {
  plan: Plan;
  change: (next: Plan) => void;
  /** A stable function, so that other rows do not rerender. */
  changeField: (column: number, change: Partial<PlanField>) => void;
  getPlan: () => Plan;
  /** Saves pending changes; resolves when all saves have finished. */
  flush: () => Promise<unknown>;
  error: unknown;
};

/** A saved plan with names as typed: a trailing space precedes the next word. */
const asTyped = (saved: Plan, { fields }: Plan): Plan => ({
  ...saved,
  fields: saved.fields.map((field) => {
    const name = fields.find(({ column }) => column === field.column)?.name;
    return name?.trim() === field.name ? { ...field, name } : field;
  }),
});

/**
 * The mapping while it is edited: updated immediately and saved shortly after, so that closing the tab loses nothing. A
 * save names the revision it is based on; if another window has saved meanwhile, that version is shown instead. The
 * draft is React state, because the query cache notifies too late for a text field to keep its cursor.
 */
export function usePlanDraft(state: ImportState): PlanDraft {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { scope, show } = useChange(state.id);
  const [draft, setDraft] = useState<Plan | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const unsaved = useRef<Plan | null>(null);
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  /** The revision that the edits are based on. */
  const revision = useRef(state.revision);
  const save = useMutation(trpc.imports.savePlan.mutationOptions({ scope }));
  const store = async () => {
    const plan = unsaved.current;
    if (!plan) return;
    unsaved.current = null;
    try {
      const saved = await save.mutateAsync({ id: state.id, plan, revision: revision.current });
      revision.current = saved.revision;
      if (!unsaved.current) {
        show(saved.plan ? { ...saved, plan: asTyped(saved.plan, plan) } : saved);
        setDraft(null);
      }
    } catch (error) {
      unsaved.current ??= plan;
      if (problemOf(error)?.code === "conflict") {
        unsaved.current = null;
        await cache.invalidateQueries(trpc.imports.get.queryFilter({ id: state.id }));
        setDraft(null);
      }
      throw error;
    } finally {
      await cache.invalidateQueries(trpc.imports.faults.queryFilter({ id: state.id }));
    }
  };
  // Saves run one after the other, because each is based on the previous revision.
  const flush = () => {
    if (timer.current) clearTimeout(timer.current);
    timer.current = null;
    saving.current = saving.current.catch(() => {}).then(store);
    return saving.current;
  };
  const plan = draft ?? state.plan ?? NO_PLAN;
  const change = (next: Plan) => {
    if (!draft && !unsaved.current) revision.current = state.revision;
    unsaved.current = next;
    latest.current.plan = next;
    setDraft(next);
    show((old) => old && { ...old, plan: next, status: "staged" });
    if (timer.current) clearTimeout(timer.current);
    timer.current = setTimeout(() => void latest.current.flush().catch(() => {}), SAVE_AFTER_MS);
  };
  const latest = useRef({ plan, flush, change });
  latest.current = { plan, flush, change };
  useEffect(() => () => void latest.current.flush().catch(() => {}), []);
  const getPlan = useCallback(() => latest.current.plan, []);
  const changeField = useCallback(
    (column: number, part: Partial<PlanField>) => {
      const before = getPlan();
      const fields = before.fields.map((field) => (field.column === column ? { ...field, ...part } : field));
      latest.current.change({ ...before, fields });
    },
    [getPlan],
  );
  return { plan, change, changeField, getPlan, flush, error: save.error };
}
