import type { PlanDraft } from "@/components/import/plan-draft";
import { errorText, Message, problemOf } from "@/components/ui/notice";
import type { ImportState } from "@/server/custom-fields/import/schema";

const PART: Record<string, string> = {
  name: "name of its field",
  fieldKey: "key of its field",
  options: "list of its choices",
  decisions: "list of what its values mean",
};

/** Reason that the mapping was not saved, with the column's name instead of the path. */
function reasonOf({ error, plan }: PlanDraft, { columns }: ImportState): string {
  const [fault] = problemOf(error)?.errors ?? [];
  const [, at, part = ""] = /^plan\.fields\.(\d+)\.(\w+)/.exec(fault?.path ?? "") ?? [];
  const field = at === undefined ? undefined : plan.fields[Number(at)];
  const title = field && (columns[field.column]?.title ?? field.name);
  return fault && title && PART[part]
    ? `${title}: the ${PART[part]} ${fault.message}. The mapping is saved once this is corrected.`
    : errorText(error);
}

/** Shown beside the step's button when the last change of the mapping could not be saved. */
export const NotSaved = ({ draft, state }: { draft: PlanDraft; state: ImportState }) =>
  draft.error ? <Message tone="bad">{reasonOf(draft, state)}</Message> : null;
