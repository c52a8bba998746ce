import { invalid } from "@/server/ground/errors";
import { atera } from "./atera";
import { automate } from "./automate";
import { dattoRmm } from "./datto-rmm";
import { genericCsv } from "./generic-csv";
import { kaseyaVsa } from "./kaseya-vsa";
import { nCentral } from "./n-central";
import { ninjaOne } from "./ninjaone";
import type { Preset } from "./preset";

export const PRESETS: readonly Preset[] = [automate, ninjaOne, dattoRmm, nCentral, kaseyaVsa, atera, genericCsv];

/** @throws AppError validation_failed for an unknown product. */
export function presetOf(source: string): Preset {
  const preset = PRESETS.find((p) => p.id === source);
  if (!preset) throw invalid("source", "is not a product that can be imported from");
  return preset;
}
