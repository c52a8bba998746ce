/** "12,345": the format of every count. */
export const count = (n: number): string => n.toLocaleString("en-GB");

/** "1 row", "12,345 rows" */
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** "42 s", "19 min", "2 h 5 min", "9 days 6 h": a duration in its two largest units. */
export function duration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < MINUTE_S) return `${s} s`;
  const minutes = Math.floor((s % HOUR_S) / MINUTE_S);
  if (s < HOUR_S) return `${minutes} min`;
  const hours = Math.floor((s % DAY_S) / HOUR_S);
  const [large, small] =
    s < DAY_S
      ? [`${hours} h`, minutes && `${minutes} min`]
      : [counted(Math.floor(s / DAY_S), "day"), hours && `${hours} h`];
  return small ? `${large} ${small}` : large;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** "1.4 MB", in decimal units, as for disks. */
export function bytes(n: number): string {
  const power = n < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(n) / 3));
  const value = n / 1000 ** power;
  return `${value.toLocaleString("en-GB", { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${UNITS[power]}`;
}
