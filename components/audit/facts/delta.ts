import { create, type Delta } from "jsondiffpatch";
import { isObject } from "@/server/ground/records";

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
