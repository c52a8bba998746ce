/** "12,345": every count on every page is written the same way. */
export const count = (n: number): string => n.toLocaleString("en-GB");

/** "1 row", "12,345 rows" */
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** "1.4 MB"; decimal units, as disks are sold. */
export function bytes(n: number): string {
  const power = n < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(n) / 3));
  const value = n / 1000 ** power;
  return `${value.toLocaleString("en-GB", { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${UNITS[power]}`;
}
