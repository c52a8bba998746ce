import { counted } from "@/components/format/amounts";
import type { RunReport } from "@/server/custom-fields/import/outcome-schema";
import type { ImportState, UndoReport } from "@/server/custom-fields/import/schema";

type Ended = Pick<ImportState, "status" | "error"> & { summary: Pick<ImportState["summary"], "undo"> };

/** How many values a run has written. */
export const writtenOf = ({ fields }: Pick<RunReport, "fields">): number =>
  fields.reduce((sum, field) => sum + field.set + field.overwrite + field.clear, 0);

function undoneText({ restored, leftAlone, sourceIdsRemoved }: UndoReport): string {
  const changed = leftAlone === 1 ? "it has been changed" : "they have been changed";
  const parts = [
    `${counted(restored, "value was", "values were")} restored`,
    leftAlone > 0 && `${counted(leftAlone, "was", "were")} left alone because ${changed} since`,
    sourceIdsRemoved > 0 && `${counted(sourceIdsRemoved, "source ID was", "source IDs were")} removed`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** What became of an import, in a sentence or two; warn: it was not all applied, or not all of it still is. */
export function verdictOf(
  { status, error, summary: { undo } }: Ended,
  report: Pick<RunReport, "fields">,
): { tone: "warn" | "plain"; text: string } {
  if (undo && status === "undone")
    return { tone: "warn", text: `This import was undone: ${undoneText(undo)}. The fields stay.` };
  if (undo)
    return {
      tone: "warn",
      text: `The undo ended before its last row: ${undoneText(undo)}. Undo again to restore the rest.`,
    };
  if (status === "cancelled") {
    const how = error === null ? "was cancelled before its end" : "ended before its last row";
    return { tone: "warn", text: `This import ${how}. What it had written is kept, and can be undone.` };
  }
  if (writtenOf(report) === 0) return { tone: "plain", text: "No value was written. The counts below say why." };
  return { tone: "plain", text: "The import is complete." };
}
