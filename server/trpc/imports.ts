import {
  cancelImport,
  createImport,
  discardImport,
  getImport,
  listImports,
} from "@/server/custom-fields/import/create";
import { listGuesses } from "@/server/custom-fields/import/map/default-plan";
import { guessAfresh, listFaults, savePlan } from "@/server/custom-fields/import/plan";
import { previewFile } from "@/server/custom-fields/import/preview";
import { listRows, pickCandidate } from "@/server/custom-fields/import/rows";
import {
  fileInput,
  formatInput,
  importIdInput,
  pickInput,
  planInput,
  rowsInput,
  sourceInput,
} from "@/server/custom-fields/import/schema";
import { listSources } from "@/server/custom-fields/import/sources";
import { startCheck, startRun, startStaging, startUndo } from "@/server/custom-fields/import/start";
import { procedure, router } from "./init";

const importer = procedure("custom_fields:import");
const ofImport = importer.input(importIdInput);

/** The import wizard, step by step; files come in over REST (custom-fields/imports/upload). */
export const importsRouter = router({
  sources: importer.query(() => listSources()),
  list: importer.query(({ ctx }) => listImports(ctx.caller)),
  get: ofImport.query(({ ctx, input }) => getImport(ctx.caller, input)),
  guesses: ofImport.query(({ ctx, input }) => listGuesses(ctx.caller, input)),
  faults: ofImport.query(({ ctx, input }) => listFaults(ctx.caller, input)),
  rows: importer.input(rowsInput).query(({ ctx, input }) => listRows(ctx.caller, input)),
  create: importer.input(sourceInput).mutation(({ ctx, input }) => createImport(ctx.caller, input)),
  preview: importer.input(fileInput).query(({ ctx, input }) => previewFile(ctx.caller, input)),
  setFormat: importer.input(formatInput).mutation(({ ctx, input }) => previewFile(ctx.caller, input)),
  stage: ofImport.mutation(({ ctx, input }) => startStaging(ctx.caller, input)),
  savePlan: importer.input(planInput).mutation(({ ctx, input }) => savePlan(ctx.caller, input)),
  guessAfresh: ofImport.mutation(({ ctx, input }) => guessAfresh(ctx.caller, input)),
  check: ofImport.mutation(({ ctx, input }) => startCheck(ctx.caller, input)),
  pick: importer.input(pickInput).mutation(({ ctx, input }) => pickCandidate(ctx.caller, input)),
  run: ofImport.mutation(({ ctx, input }) => startRun(ctx.caller, input)),
  cancel: ofImport.mutation(({ ctx, input }) => cancelImport(ctx.caller, input)),
  undo: ofImport.mutation(({ ctx, input }) => startUndo(ctx.caller, input)),
  discard: ofImport.mutation(({ ctx, input }) => discardImport(ctx.caller, input)),
});
