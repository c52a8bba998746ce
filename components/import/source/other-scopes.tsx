import { Anchor } from "@mantine/core";
import { counted } from "@/components/format/amounts";
import classes from "@/components/import/import.module.css";
import { isImportable } from "@/server/custom-fields/import/plan-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";

/** Fields of other scopes: not imported, but listed and downloadable. */
export function OtherScopes({ state }: { state: ImportState }) {
  const others = state.columns.filter((column) => !isImportable(column));
  if (others.length === 0) return null;
  const names = others.map((column) => `${column.title} (${column.declared?.scope})`).join(", ");
  return (
    <div className={classes.note}>
      <p>
        <strong>{counted(others.length, "field is", "fields are")} not imported.</strong> Only computer-scope fields are
        imported. Create these by hand as fields of an organization: {names}.
      </p>
      <Anchor href={`/api/v1/custom-fields/imports/${state.id}/other-scopes`} download fz="inherit">
        Download them as CSV
      </Anchor>
    </div>
  );
}
