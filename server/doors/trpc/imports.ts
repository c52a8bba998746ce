import { editValues, undoEdit } from "@/server/custom-fields/import/edit";
import {
  cancelImport,
  createImport,
  discardImport,
  getImport,
  listImports,
  listSources,
} from "@/server/custom-fields/import/imports";
import {
  ignoreMapping,
  listFaults,
  listGuesses,
  previewFile,
  savePlan,
  setFormat,
} from "@/server/custom-fields/import/plan";
import { listRows, pickCandidate } from "@/server/custom-fields/import/rows";
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
