"use client";

import { Minus, PencilLine, Plus } from "lucide-react";
import classes from "./changes.module.css";
import { type Change, changesBetween, unchangedMembers } from "./delta";

const KIND = {
  added: { icon: Plus, word: "Added" },
  removed: { icon: Minus, word: "Removed" },
  changed: { icon: PencilLine, word: "Changed" },
} as const;

const show = (value: unknown): string =>
  typeof value === "string" ? value || "(empty)" : JSON.stringify(value, null, 1);

/** Before and after as a structured difference: what came, went and changed; the unchanged folded away. */
export function Changes({ before, after }: { before: unknown; after: unknown }) {
  const changes = changesBetween(before, after);
  const unchanged = unchangedMembers(before, after);
  return (
    <div className={classes.changes}>
      {changes.length === 0 && <p className={classes.none}>Before and after are the same.</p>}
      {changes.map((change) => (
        <Row key={`${change.kind} ${change.path}`} change={change} />
      ))}
      {unchanged.length > 0 && (
        <details className={classes.folded}>
          <summary>{unchanged.length === 1 ? "1 member unchanged" : `${unchanged.length} members unchanged`}</summary>
          {unchanged.map(([name, value]) => (
            <div key={name} className={classes.row}>
              <span className={classes.path}>{name}</span>
              <span className={classes.same}>{show(value)}</span>
            </div>
          ))}
        </details>
      )}
    </div>
  );
}

function Row({ change }: { change: Change }) {
  const { icon: Icon, word } = KIND[change.kind];
  return (
    <div className={classes.row}>
      <span className={classes.path}>
        <span className={classes.kind} data-kind={change.kind}>
          <Icon size={13} strokeWidth={2} aria-hidden />
          {word}
        </span>
        {change.path || "value"}
      </span>
      <span className={classes.values}>
        {change.kind !== "added" && <del>{show(change.before)}</del>}
        {change.kind !== "removed" && <ins>{show(change.after)}</ins>}
      </span>
    </div>
  );
}
