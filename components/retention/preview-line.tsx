import { count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import type { Outputs } from "@/components/trpc";
import { readErrorText } from "@/components/ui/notice";
import { wouldRemove } from "./removal-text";

type Props = {
  preview: Outputs["retention"]["preview"] | undefined;
  error: unknown;
  days: number;
  pruningEnabled: boolean;
};

/** Effect of the next run: rows and time span; without pruning, that nothing is removed. */
export function PreviewLine({ preview, error, days, pruningEnabled }: Props) {
  if (error) return <>It could not be determined what the next run would remove. {readErrorText(error)}</>;
  if (!preview || preview.retentionDays !== days) return <>Counting what the next run would remove …</>;
  const lead = wouldRemove(pruningEnabled);
  if (preview.alarmSince)
    return (
      <>
        {lead} nothing: an alarm is open on this log since <When at={preview.alarmSince} />. Until a verification of the
        whole log finds it intact, nothing of it is removed.
      </>
    );
  if (preview.rows === 0)
    return preview.heldBy ? (
      <>
        {lead} nothing yet: entry {count(preview.heldBy.seq)} of <When at={preview.heldBy.timestamp} /> comes before
        older entries and is inside the period until <When at={preview.heldBy.until} />.
      </>
    ) : (
      <>{lead} nothing: no entry is that old.</>
    );
  return (
    <>
      {lead} <strong>{counted(preview.rows, "entry", "entries")}</strong>, from <When at={preview.from} /> to{" "}
      <When at={preview.to} />.
    </>
  );
}
