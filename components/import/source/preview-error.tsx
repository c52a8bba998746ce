import classes from "@/components/import/import.module.css";
import { Message } from "@/components/ui/message";
import { errorText, Failure, problemOf } from "@/components/ui/notice";
import type { ImportFile } from "@/server/custom-fields/import/schema";

/** True for errors that a retry would not change: the fault is the file's. */
export const isPermanent = (error: unknown): boolean =>
  ["validation_failed", "payload_too_large"].includes(problemOf(error)?.code ?? "");

/** change: why the format could not be changed. */
type Props = { file: ImportFile; change: unknown; preview: { error: unknown; refetch: () => unknown } };

/** Why the first rows are not shown. The file is to be corrected where the fault is its own, else it is read again. */
export function PreviewError({ file, change, preview }: Props) {
  const error = change ?? preview.error;
  if (!error) return null;
  if (!change && !isPermanent(error))
    return <Failure error={error} onRetry={() => void preview.refetch()} what={`the first rows of ${file.name}`} />;
  const advice = file.format
    ? "Change how the file is read, or correct and replace it."
    : "Correct the file and replace it.";
  return (
    <div className={classes.pad}>
      <Message tone="bad">
        {errorText(error)}
        {isPermanent(error) && ` Nothing was imported. ${advice}`}
      </Message>
    </div>
  );
}
