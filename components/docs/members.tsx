import { type Row, rowsOf, typeOf } from "./describe";
import classes from "./docs.module.css";
import type { Schema } from "./openapi";

/** Names, types and constraints of request or response members. */
export function MemberRows({ rows, label }: { rows: Row[]; label: string }) {
  return (
    <ul className={classes.members} aria-label={label}>
      {rows.map((row) => (
        <li key={row.name}>
          <div className={classes.member}>
            <code>{row.name}</code>
            {row.isRequired && <span className={classes.required}>required</span>}
          </div>
          <div className={classes.rule}>
            {row.meaning && <p>{row.meaning}</p>}
            <span>{row.type}</span>
            {row.rule && <span>{row.rule}</span>}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The members of an object; any other value is described in one line. */
export function Members({
  schema,
  schemas,
  label,
}: {
  schema: Schema;
  schemas: Record<string, Schema>;
  label: string;
}) {
  const rows = rowsOf(schema, schemas);
  if (rows.length === 0) return <p className={classes.none}>{typeOf(schema)}</p>;
  return <MemberRows rows={rows} label={label} />;
}
