import classes from "@/components/import/import.module.css";
import type { Outputs } from "@/components/trpc";

/** The first records in the file's own columns; for a list of fields, their names. */
export function PreviewTable({
  name,
  preview,
  isStale,
}: {
  name: string;
  preview: Outputs["imports"]["preview"];
  isStale: boolean;
}) {
  if (preview.format.shape === "fields" && preview.rows.length === 0)
    return (
      <p className={classes.pad}>
        {preview.titles.length} fields: {preview.titles.slice(0, 30).join(", ")}
        {preview.titles.length > 30 ? " and more" : ""}
      </p>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={classes.rowsInSight} tabIndex={0} aria-label={`First rows of ${name}`}>
      <table className={`${classes.table} ${classes.preview}`} data-stale={isStale || undefined}>
        <caption>First rows of {name}</caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            {preview.titles.map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row) => (
            <tr key={row.line} data-fault={row.fault !== null || undefined}>
              <th scope="row">{row.line}</th>
              {row.fault !== null ? (
                <td colSpan={preview.titles.length}>This row {row.fault}; it is reported, not applied.</td>
              ) : (
                preview.titles.map((title, i) => <td key={title}>{row.cells[i]}</td>)
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
