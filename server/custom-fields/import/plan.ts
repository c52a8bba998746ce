import { type Tx, tenant } from "@/db/client";
import type { Ctx } from "@/server/ground/context";
import { CallerConcurrency, Concurrency, callerKey, inCallerLimit } from "@/server/ground/limits/concurrency";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { changing, toImportState } from "./imports";
import { defaultPlan, type Known, loadKnown, propose } from "./map/default-plan";
import { withoutSecretTexts } from "./map/mapping";
import { planFaults, unknownChoices } from "./map/plan-faults";
import { MAX_IMPORT_FILES, type Plan, type PlanFaults } from "./plan-schema";
import { presetOf } from "./presets";
import type { Preview, Task } from "./reader/import-thread";
import { readFiles } from "./reader/read-files";
import {
  completeFile,
  findImport,
  type ImportRecord,
  lockImport,
  requireIdle,
  requireRevision,
  type StoredFile,
  unread,
  updateImport,
} from "./record";
import { fileInput, formatInput, type ImportState, planInput } from "./schema";

/** Keeps one thread free for imports. */
const thread = new Concurrency(1);
/** Queue: the previews of two imports per caller. */
const callers = new CallerConcurrency(1, { max: 2 * MAX_IMPORT_FILES, ms: 120_000 });

/**
 * First rows of a file, in the caller's turn.
 * @throws AppError rate_limited when too many of the caller's wait, and the errors of reading
 */
const readPreview = (
  { actor, signal }: Ctx,
  file: Omit<Extract<Task, { kind: "preview" }>, "kind">,
): Promise<Preview> => {
  const read = () => readFiles({ kind: "preview", ...file });
  return callers.run(callerKey(actor), () => thread.run(read, signal), signal);
};

/** Stores a plan and invalidates an earlier check. */
const storePlan = (tx: Tx, ctx: Ctx, { found, plan, known }: { found: ImportRecord; plan: Plan; known: Known }) =>
  updateImport(tx, found.id, {
    plan: withoutSecretTexts(plan, known),
    summary: found.summary,
    status: "staged",
    updatedAt: ctx.now(),
  });

const CHANGED = "Its mapping is shown as it is now; make your last change again if it is not in it.";

/**
 * Saves a mapping, faulty or not: the check finds faults, so that a half-finished plan survives a closed tab.
 * @throws AppError not_found; conflict while the import is busy, or when it changed since the person saw it.
 */
export const savePlan = changing({
  input: planInput,
  from: ["staged", "checked"],
  async run(tx, ctx, { found, plan, revision }) {
    requireRevision(found, revision, CHANGED);
    return storePlan(tx, ctx, { found, plan, known: await loadKnown(tx, ctx, found) });
  },
});

/** Discards a saved mapping and guesses from the columns, as for a first import. */
export const ignoreMapping = changing({
  input: idInput,
  from: ["staged", "checked"],
  async run(tx, ctx, { found: before }) {
    const found = { ...before, summary: { ...before.summary, mappingFrom: undefined } };
    const known = await loadKnown(tx, ctx, found);
    return storePlan(tx, ctx, { found, plan: defaultPlan(known, presetOf(found.source)), known });
  },
});

/** Faults that prevent checking the plan, by field, and dropdown values that are not choices, for the wizard. */
export const listFaults = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<PlanFaults>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await findImport(tx, ctx, id);
      if (!found.plan) return { faults: [], unknown: [] };
      const known = await loadKnown(tx, ctx, found);
      const unknown = await unknownChoices(tx, { importId: id, plan: found.plan, known });
      return { faults: planFaults(found.plan, { ...known, unknown }), unknown };
    });
  },
});

/** Certainty of preselected targets by column, for the wizard's marks. */
export const listGuesses = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<Record<number, "sure" | "guess">>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await findImport(tx, ctx, id);
      const proposals = propose(await loadKnown(tx, ctx, found), presetOf(found.source));
      return Object.fromEntries(proposals.flatMap((p, i) => (p ? [[found.columns[i]?.index ?? i, p.certainty]] : [])));
    });
  },
});

const OPEN = ["draft", "staged", "checked"] as const;

/**
 * Overrides the detected format of a file and discards what was read before.
 * @throws AppError not_found, conflict, rate_limited, validation_failed for a file that cannot be read at all.
 */
export const setFormat = operation({
  permission: "custom_fields:import",
  input: formatInput,
  output: typed<ImportState>(),
  waits: true,
  async run(ctx, { id, fileNo, format }) {
    const share = <T>(work: () => Promise<T>) => inCallerLimit(ctx, work);
    const before = await share(() => tenant(ctx.scope, (tx) => findImport(tx, ctx, id)));
    requireIdle(before, ...OPEN);
    const file = completeFile(before, fileNo);
    const { path, format: given } = file;
    const kept = given ?? (await readPreview(ctx, { source: before.source, path, format: null })).format;
    const store = async (tx: Tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, ...OPEN);
      const headerChoice = format.headerRow === undefined ? {} : { isHeaderSaid: true };
      const next = { ...kept, ...format, ...headerChoice };
      // Notes from the previous reading no longer apply.
      const changed = ({ notes: _, ...file }: StoredFile): StoredFile => ({ ...file, format: next, records: null });
      const files = found.files.map((file, i) => (i === fileNo ? changed(file) : file));
      return toImportState(await updateImport(tx, id, { ...unread, files, updatedAt: ctx.now() }));
    };
    return share(() => tenant(ctx.scope, store));
  },
});

/**
 * First rows of a file, read by the importing parser in the chosen or detected format; values that are secret by title
 * or declaration are masked.
 * @throws AppError not_found, validation_failed, payload_too_large, rate_limited.
 */
export const previewFile = operation({
  permission: "custom_fields:import",
  input: fileInput,
  output: typed<Preview>(),
  waits: true,
  async run(ctx, { id, fileNo }) {
    const find = () => tenant(ctx.scope, (tx) => findImport(tx, ctx, id));
    const found = await inCallerLimit(ctx, find);
    const { path, format } = completeFile(found, fileNo);
    return readPreview(ctx, { source: found.source, path, format });
  },
});
