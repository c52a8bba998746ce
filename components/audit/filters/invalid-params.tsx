import classes from "@/components/audit/viewer.module.css";
import { Message } from "@/components/ui/notice";

/** Reports URL parameters that were ignored because they are invalid. */
export function InvalidParams({ parts }: { parts: string[] }) {
  return (
    <div className={classes.invalid}>
      <Message tone="warn">
        Part of the address is not valid and was ignored: {parts.join(", ")}. It does not filter the list below.
      </Message>
    </div>
  );
}
