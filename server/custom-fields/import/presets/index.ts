import { invalid } from "@/server/ground/errors";
import { automate } from "./automate";
import { genericCsv } from "./generic-csv";
import type { Preset } from "./preset";

export const PRESETS: readonly Preset[] = [automate, genericCsv];

/** @throws AppError validation_failed for an unknown product. */
export function presetOf(source: string): Preset {
  const preset = PRESETS.find((p) => p.id === source);
  if (!preset) throw invalid("source", "is not a product that can be imported from");
  return preset;
}
