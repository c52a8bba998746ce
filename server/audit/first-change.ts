import { isObject } from "@/server/ground/records";
import { withVisibleMarks } from "@/server/ground/text";

const MAX_VALUE_CHARS = 40;

/** "lock after minutes" for lockAfterMinutes. */
const wordsOf = (member: string): string =>
  member
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();

/** A plain value as text; null if it takes more than a few words. */
function valueText(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) {
    if (value.some((one) => typeof one === "object")) return null;
    return valueText(value.join(", "));
  }
  if (typeof value === "object") return null;
  const code = typeof value === "string" && /^[a-z]+(_[a-z]+)+$/.test(value);
  const text = code ? value.replaceAll("_", " ") : String(value);
  return withVisibleMarks(text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text);
}

/**
 * First member that differs between details.before and details.after, as "antivirus: enabled → disabled", with the
 * number of further ones; null if nothing that fits a line changed.
 */
export function firstChange({ before, after }: Record<string, unknown>): string | null {
  const changed = changedMembers(before, after).flatMap(([member, from, to]) => {
    const [old, now] = [valueText(from), valueText(to)];
    return old !== null && now !== null && old !== now ? [`${wordsOf(member)}: ${old} → ${now}`] : [];
  });
  const [first] = changed;
  if (!first) return null;
  return changed.length > 1 ? `${first} +${changed.length - 1}` : first;
}

/** Members that differ or exist on one side only, nested ones included. */
function changedMembers(before: unknown, after: unknown): [member: string, from: unknown, to: unknown][] {
  if (!isObject(before) || !isObject(after)) return [];
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((member) => {
    const [from, to] = [before[member], after[member]];
    return isObject(from) && isObject(to) ? changedMembers(from, to) : [[member, from, to]];
  });
}
