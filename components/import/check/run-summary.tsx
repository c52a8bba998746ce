import { counted } from "@/components/format/amounts";
import classes from "@/components/import/import.module.css";
import { Message } from "@/components/ui/message";
import type { Tally } from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";

/** What the run would do, as counted by the check. */
export function RunSummary({ state, check }: { state: ImportState; check: Tally }) {
  const sum = (name: "set" | "overwrite" | "clear") => check.fields.reduce((total, field) => total + field[name], 0);
  const writes = sum("set") + sum("overwrite") + sum("clear");
  const { ambiguous, identity_conflict, not_found, unreadable } = check.rows;
  const left = identity_conflict + not_found + unreadable;
  const created = state.plan?.fields.filter((field) => field.action === "create").length ?? 0;
  const devices = check.writes?.devices;
  const sourceIds = check.writes?.sourceIds ?? 0;
  const picked = check.writes?.picked ?? 0;
  const skipped = ambiguous - picked;
  return (
    <div className={classes.pad}>
      <ul className={classes.plain}>
        {created > 0 && <li>{counted(created, "field")} will be created.</li>}
        {writes > 0 && (
          <li>
            {counted(writes, "value")} will be written
            {devices === undefined ? "" : ` to ${counted(devices, "device")}`}
            {sum("overwrite") > 0
              ? `, ${counted(sum("overwrite"), "of them overwrites", "of them overwrite")} another value`
              : ""}
            {sum("clear") > 0 ? `, ${counted(sum("clear"), "is cleared", "are cleared")}` : ""}.
          </li>
        )}
        {sourceIds > 0 && <li>{counted(sourceIds, "source ID")} will be recorded for later imports.</li>}
        {picked > 0 && (
          <li>{counted(picked, "ambiguous row is", "ambiguous rows are")} applied to the device that was picked.</li>
        )}
        {skipped > 0 && (
          <li>{counted(skipped, "ambiguous row is", "ambiguous rows are")} skipped unless you pick a device.</li>
        )}
        {left > 0 && (
          <li>
            {counted(left, "row is", "rows are")} left alone: no device was found, the row contradicts another one or
            what is recorded, or it could not be read.
          </li>
        )}
      </ul>
      {writes === 0 && <Message tone="warn">There is no value to write. The counts above say why.</Message>}
    </div>
  );
}
