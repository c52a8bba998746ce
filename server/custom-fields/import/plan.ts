import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema/index";
import type { Ctx } from "@/server/ground/context";
import { CallerConcurrency, Concurrency, callerKey, inCallerLimit } from "@/server/ground/limits/concurrency";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { toImportState } from "./imports";
import { defaultPlan, definingNothing, partnerDefinitions, propose } from "./map/default-plan";
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
  toRecord,
  unread,
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
async function storePlan(
  tx: Tx,
  ctx: Ctx,
  { found, plan, summary = found.summary }: { found: ImportRecord; plan: Plan; summary?: ImportRecord["summary"] },
): Promise<ImportState> {
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const { columns } = found;
  const stored = { plan: withoutSecretTexts(plan, { columns, definitions }), summary, status: "staged" };
  const [row] = await tx
    .update(customFieldImports)
    .set({ ...stored, updatedAt: ctx.now() })
    .where(eq(customFieldImports.id, found.id))
    .returning();
  return toImportState(toRecord(row));
}

/**
 * Saves a mapping, faulty or not: the check finds faults, so that a half-finished plan survives a closed tab.
 * @throws AppError not_found; conflict while the import is busy, or when it changed since the person saw it.
 */
export const savePlan = operation({
  permission: "custom_fields:import",
  input: planInput,
  output: typed<ImportState>(),
  async run(ctx, { id, plan, revision }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "staged", "checked");
      requireRevision(
        found,
        revision,
        "Its mapping is shown as it is now; make your last change again if it is not in it.",
      );
      return storePlan(tx, ctx, { found, plan });
    });
  },
});

/** Discards a saved mapping and guesses from the columns, as for a first import. */
export const ignoreMapping = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  async run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "staged", "checked");
      const definitions = await partnerDefinitions(tx, found.partnerId);
      const guessed = defaultPlan(found.columns, definitions, presetOf(found.source));
      const plan = (await reachesWholePartner(tx, ctx)) ? guessed : definingNothing(guessed);
      return storePlan(tx, ctx, { found, plan, summary: { ...found.summary, mappingFrom: undefined } });
    });
  },
});

/** Faults that prevent checking the plan, by field, and dropdown values that are not choices, for the wizard. */
export const listFaults = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<PlanFaults>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const { plan, columns, partnerId } = await findImport(tx, ctx, id);
      if (!plan) return { faults: [], unknown: [] };
      const definitions = await partnerDefinitions(tx, partnerId);
      const unknown = await unknownChoices(tx, { importId: id, plan, definitions, columns });
      const mayDefine = await reachesWholePartner(tx, ctx);
      return { faults: planFaults(plan, { columns, definitions, mayDefine, unknown }), unknown };
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
      const definitions = await partnerDefinitions(tx, found.partnerId);
      const proposals = propose(found.columns, definitions, presetOf(found.source));
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
      const [row] = await tx
        .update(customFieldImports)
        .set({ ...unread, files, updatedAt: ctx.now() })
        .where(eq(customFieldImports.id, id))
        .returning();
      return toImportState(toRecord(row));
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
