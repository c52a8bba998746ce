import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import type { Outputs } from "@/components/trpc";
import { readErrorText } from "@/components/ui/notice";

type Props = { preview: Outputs["retention"]["preview"] | undefined; error: unknown; days: number };

/** What the next run would remove: rows and time span. */
export function PreviewLine({ preview, error, days }: Props) {
  if (error) return <>It could not be determined what the next run would remove. {readErrorText(error)}</>;
  if (!preview || preview.retentionDays !== days) return <>Counting what the next run would remove …</>;
  if (preview.alarmSince)
    return (
      <>
        The next run would remove nothing: an alarm is open on this log since <When at={preview.alarmSince} />. Until a
        verification of the whole log finds it intact, nothing of it is removed.
      </>
    );
  if (preview.rows === 0)
    return preview.heldBy ? (
      <>
        The next run would remove nothing yet: entry {preview.heldBy.seq.toLocaleString("en-GB")} of{" "}
        <When at={preview.heldBy.timestamp} /> comes before older entries and is inside the period until{" "}
        <When at={preview.heldBy.until} />.
      </>
    ) : (
      <>The next run would remove nothing: no entry is that old.</>
    );
  return (
    <>
      The next run would remove <strong>{counted(preview.rows, "entry", "entries")}</strong>, from{" "}
      <When at={preview.from} /> to <When at={preview.to} />.
    </>
  );
}
