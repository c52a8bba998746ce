import { repairText } from "@/server/ground/text";

/**
 * The parameters of an address, repaired to text that the database can compare. One that is given several times is a
 * list, which grows in place: an address has room for thousands, and any client may send it.
 */
export function queryOf(url: string): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const at = url.indexOf("?");
  if (at < 0) return input;
  for (const [name, value] of new URLSearchParams(url.slice(at))) {
    const before = Object.hasOwn(input, name) ? input[name] : undefined;
    if (Array.isArray(before)) before.push(repairText(value));
    else input[name] = before === undefined ? repairText(value) : [before, repairText(value)];
  }
  return input;
}
