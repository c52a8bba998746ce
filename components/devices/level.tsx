import { StateTag, type Tone } from "@/components/ui/state-tag";

const TONE: Record<string, Tone> = { warn: "warn", warning: "warn", error: "bad", critical: "bad" };
const LEVEL_LABEL: Record<string, string> = {
  debug: "Debug",
  info: "Info",
  information: "Information",
  verbose: "Verbose",
  warn: "Warning",
  warning: "Warning",
  error: "Error",
  critical: "Critical",
};

/** A severity level as color, icon and word. */
export function Level({ level }: { level: string }) {
  return <StateTag tone={TONE[level] ?? "off"}>{LEVEL_LABEL[level] ?? level}</StateTag>;
}
