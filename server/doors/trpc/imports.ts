import { cancelImport } from "@/server/custom-fields/import/cancel";
import { createImport } from "@/server/custom-fields/import/create";
import { discardImport } from "@/server/custom-fields/import/discard";
import { editValues } from "@/server/custom-fields/import/edit/edit-values";
import { undoEdit } from "@/server/custom-fields/import/edit/undo-edit";
import { getImport } from "@/server/custom-fields/import/get";
import { ignoreMapping } from "@/server/custom-fields/import/ignore-mapping";
import { listImports } from "@/server/custom-fields/import/list";
import { listFaults } from "@/server/custom-fields/import/list-faults";
import { listGuesses } from "@/server/custom-fields/import/list-guesses";
import { listRows } from "@/server/custom-fields/import/list-rows";
import { listSources } from "@/server/custom-fields/import/list-sources";
import { pickCandidate } from "@/server/custom-fields/import/pick-candidate";
import { previewFile } from "@/server/custom-fields/import/preview";
import { savePlan } from "@/server/custom-fields/import/save-plan";
import { setFormat } from "@/server/custom-fields/import/set-format";
import { startCheck } from "@/server/custom-fields/import/start/check";
import { startRun } from "@/server/custom-fields/import/start/run";
import { startStaging } from "@/server/custom-fields/import/start/staging";
import { startUndo } from "@/server/custom-fields/import/start/undo";
import { mutation, query, router } from "./init";
/** The import wizard, step by step; files come in over REST (custom-fields/imports/upload). */
export const importsRouter = router({
  sources: query(listSources),
  list: query(listImports),
  get: query(getImport),
  guesses: query(listGuesses),
  faults: query(listFaults),
  rows: query(listRows),
  create: mutation(createImport),
  preview: query(previewFile),
  setFormat: mutation(setFormat),
  stage: mutation(startStaging),
  savePlan: mutation(savePlan),
  ignoreMapping: mutation(ignoreMapping),
  check: mutation(startCheck),
  pick: mutation(pickCandidate),
  edit: mutation(editValues),
  undoEdit: mutation(undoEdit),
  run: mutation(startRun),
  cancel: mutation(cancelImport),
  undo: mutation(startUndo),
  discard: mutation(discardImport),
});
