"use client";

import { SearchField } from "@/components/ui/search-field";
import { groupBy } from "@/server/ground/records";
import classes from "./docs.module.css";
import { findOperations, type Operation, tagLabel } from "./openapi";

type Props = {
  operations: Operation[];
  search: string;
  onSearch: (search: string) => void;
  chosen: string | null;
  onChoose: (operationId: string) => void;
};

/** The operations grouped by tag, filtered by a search. */
export function OperationList({ operations, search, onSearch, chosen, onChoose }: Props) {
  const groups = [...groupBy(findOperations(operations, search), ({ tag }) => tag)];
  return (
    <nav className={classes.list} aria-label="Operations">
      <div className={classes.search}>
        <SearchField label="Search operations" value={search} onSearch={onSearch} />
      </div>
      {groups.length === 0 && <p className={classes.none}>{`No results for "${search}"`}</p>}
      {groups.map(([tag, members]) => (
        <section key={tag} aria-label={tagLabel(tag)}>
          <h2>{tagLabel(tag)}</h2>
          <ul>
            {members.map((o) => (
              <li key={o.operationId}>
                <button
                  type="button"
                  aria-current={o.operationId === chosen ? "true" : undefined}
                  onClick={() => onChoose(o.operationId)}
                >
                  <Method method={o.method} />
                  <code>{o.path}</code>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** The HTTP method of an operation. */
function Method({ method }: { method: string }) {
  return <span className={classes.method}>{method === "DELETE" ? "DEL" : method}</span>;
}
