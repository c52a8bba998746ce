import { cancelImport } from "@/server/custom-fields/import/cancel";
import { createImport } from "@/server/custom-fields/import/create";
import { discardImport } from "@/server/custom-fields/import/discard";
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
import {
  fileInput,
  formatInput,
  importIdInput,
  pickInput,
  planInput,
  rowsInput,
  sourceInput,
} from "@/server/custom-fields/import/schema";
import { setFormat } from "@/server/custom-fields/import/set-format";
import { startCheck, startStaging, startUndo } from "@/server/custom-fields/import/start";
import { startRun } from "@/server/custom-fields/import/start-run";
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
  setFormat: importer.input(formatInput).mutation(({ ctx, input }) => setFormat(ctx.caller, input)),
  stage: ofImport.mutation(({ ctx, input }) => startStaging(ctx.caller, input)),
  savePlan: importer.input(planInput).mutation(({ ctx, input }) => savePlan(ctx.caller, input)),
  ignoreMapping: ofImport.mutation(({ ctx, input }) => ignoreMapping(ctx.caller, input)),
  check: ofImport.mutation(({ ctx, input }) => startCheck(ctx.caller, input)),
  pick: importer.input(pickInput).mutation(({ ctx, input }) => pickCandidate(ctx.caller, input)),
  run: ofImport.mutation(({ ctx, input }) => startRun(ctx.caller, input)),
  cancel: ofImport.mutation(({ ctx, input }) => cancelImport(ctx.caller, input)),
  undo: ofImport.mutation(({ ctx, input }) => startUndo(ctx.caller, input)),
  discard: ofImport.mutation(({ ctx, input }) => discardImport(ctx.caller, input)),
});
