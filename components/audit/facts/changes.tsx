"use client";

import { Group, Text } from "@mantine/core";
import { create, type Delta } from "jsondiffpatch";
import { Minus, PencilLine, Plus } from "lucide-react";
import { isObject } from "@/server/ground/records";
import classes from "./changes.module.css";
import { factOf } from "./fact";
import { FactValue } from "./fact-value";

export type Change =
  | { kind: "added"; path: string; after: unknown }
  | { kind: "removed"; path: string; before: unknown }
  | { kind: "changed"; path: string; before: unknown; after: unknown };

const differ = create({
  objectHash: (item) => String((isObject(item) ? item.id : undefined) ?? JSON.stringify(item)),
  arrays: { detectMove: false },
});

function leaf(delta: unknown[], path: string): Change | null {
  if (delta.length === 1) return { kind: "added", path, after: delta[0] };
  if (delta.length === 2) return { kind: "changed", path, before: delta[0], after: delta[1] };
  return delta[2] === 0 ? { kind: "removed", path, before: delta[0] } : null;
}

function walk(delta: Delta, path: string, out: Change[]): void {
  if (Array.isArray(delta)) {
    const change = leaf(delta, path);
    if (change) out.push(change);
    return;
  }
  if (typeof delta !== "object" || delta === null) return;
  const isList = "_t" in delta && delta._t === "a";
  for (const [key, part] of Object.entries(delta)) {
    if (isList && key === "_t") continue;
    const step = isList ? `[${key.replace(/^_/, "")}]` : path ? `.${key}` : key;
    walk(part as Delta, path + step, out);
  }
}

/** The difference between two states as a flat list of paths. */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const out: Change[] = [];
  const delta = differ.diff(before, after);
  if (delta !== undefined) walk(delta, "", out);
  return out;
}

/** Top-level members with the same value in both states. */
export function unchangedMembers(before: unknown, after: unknown): [string, unknown][] {
  if (!isObject(before) || !isObject(after)) return [];
  return Object.entries(before).filter(([key, value]) => key in after && differ.diff(value, after[key]) === undefined);
}

const KIND = {
  added: { icon: Plus, word: "Added", tone: "good" },
  removed: { icon: Minus, word: "Removed", tone: "bad" },
  changed: { icon: PencilLine, word: "Changed", tone: "warn" },
} as const;

const memberOf = (path: string): string => /([^.[\]]+)(?:\[\d+\])*$/.exec(path)?.[1] ?? path;

/** A formatted value; objects and arrays are shown as JSON. */
function Value({ path, value }: { path: string; value: unknown }) {
  const fact = factOf(memberOf(path), value);
  return fact.kind === "group" ? JSON.stringify(value, null, 1) : <FactValue fact={fact} />;
}

/** A structured diff: added, removed and changed members; unchanged ones are folded. */
export function Changes({ before, after }: { before: unknown; after: unknown }) {
  const changes = changesBetween(before, after);
  const unchanged = unchangedMembers(before, after);
  return (
    <div className={classes.changes}>
      {changes.length === 0 && (
        <Text inherit c="dimmed" p="8px 12px">
          Before and after are the same.
        </Text>
      )}
      {changes.length > 0 && (
        <table className={`tm-table ${classes.table}`}>
          <caption>What changed, old and new</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <Row key={`${change.kind} ${change.path}`} change={change} />
            ))}
          </tbody>
        </table>
      )}
      {unchanged.length > 0 && (
        <details className={classes.folded}>
          <summary>{unchanged.length === 1 ? "1 field unchanged" : `${unchanged.length} fields unchanged`}</summary>
          <dl>
            {unchanged.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Value path={name} value={value} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

function Row({ change }: { change: Change }) {
  const { icon: Icon, word, tone } = KIND[change.kind];
  return (
    <tr>
      <th scope="row">
        <Group gap={4} ff="text" c="var(--tone)" data-tone={tone}>
          <Icon size={13} strokeWidth={2} aria-hidden />
          {word}
        </Group>
        {change.path || "value"}
      </th>
      <td>
        {change.kind !== "added" && (
          <del>
            <Value path={change.path} value={change.before} />
          </del>
        )}
      </td>
      <td>
        {change.kind !== "removed" && (
          <ins>
            <Value path={change.path} value={change.after} />
          </ins>
        )}
      </td>
    </tr>
  );
}
