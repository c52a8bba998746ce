import { bytes } from "@/components/format/amounts";

/** What agents append to a metric's name, and how it is written after the number. */
const UNIT: Record<string, string> = {
  percent: "%",
  gb: "GB",
  mb: "MB",
  hours: "h",
  minutes: "min",
  seconds: "s",
  ms: "ms",
};
const SHORT: Record<string, string> = { cpu: "CPU", ram: "RAM", os: "OS", ip: "IP" };

/** "diskFreeGb" in words: agents name their metrics as they like. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

const lastOf = (name: string): string => wordsOf(name).at(-1) ?? "";
const hasUnit = (name: string): boolean =>
  wordsOf(name).length > 1 && (lastOf(name) in UNIT || lastOf(name) === "bytes");

/** "CPU", "Disk free": a metric's name without its unit. */
export function metricName(name: string): string {
  const words = wordsOf(name).slice(0, hasUnit(name) ? -1 : undefined);
  const told = words.map((word) => SHORT[word] ?? word).join(" ");
  return told.charAt(0).toUpperCase() + told.slice(1);
}

/** "13 %", "8.2 GB": a metric's value with the unit that its name ends with. */
export function metricValue(name: string, value: unknown): string {
  if (typeof value !== "number" || !hasUnit(name)) return String(value);
  const unit = lastOf(name);
  return unit === "bytes" ? bytes(value) : `${value.toLocaleString("en-GB")} ${UNIT[unit]}`;
}
