import { getFacets } from "@/server/audit/entries/facets";
import { facetsInput } from "@/server/audit/entries/facets-schema";
import { getAuditEntry } from "@/server/audit/entries/get";
import { getHistogram } from "@/server/audit/entries/histogram";
import { listEntries } from "@/server/audit/entries/list";
import { listRelated } from "@/server/audit/entries/related";
import {
  getStatistics,
  reportCompliance,
  reportSecurityEvents,
  reportUserActivity,
} from "@/server/audit/entries/reports";
import { entriesInput, rangeInput } from "@/server/audit/schema";
import { tailInput } from "@/server/audit/tail/schema";
import { tailEntries } from "@/server/audit/tail/tail";
import { idInput } from "@/server/wire";
import { mapStreamErrors, procedure, router } from "./init";

export const auditRouter = router({
  list: procedure("audit:read")
    .input(entriesInput)
    .query(({ ctx, input }) => listEntries(ctx.caller, input)),
  get: procedure("audit:read")
    .input(idInput)
    .query(({ ctx, input }) => getAuditEntry(ctx.caller, input)),
  related: procedure("audit:read")
    .input(idInput)
    .query(({ ctx, input }) => listRelated(ctx.caller, input)),
  reportUserActivity: procedure("audit:read")
    .input(rangeInput)
    .query(({ ctx, input }) => reportUserActivity(ctx.caller, input)),
  reportSecurityEvents: procedure("audit:read")
    .input(rangeInput)
    .query(({ ctx, input }) => reportSecurityEvents(ctx.caller, input)),
  reportCompliance: procedure("audit:read")
    .input(rangeInput)
    .query(({ ctx, input }) => reportCompliance(ctx.caller, input)),
  statistics: procedure("audit:read")
    .input(rangeInput)
    .query(({ ctx, input }) => getStatistics(ctx.caller, input)),
  facets: procedure("audit:read")
    .input(facetsInput)
    .query(({ ctx, input }) => getFacets(ctx.caller, input)),
  histogram: procedure("audit:read")
    .input(facetsInput)
    .query(({ ctx, input }) => getHistogram(ctx.caller, input)),
  tail: procedure("audit:read")
    .input(tailInput)
    .subscription(({ ctx, input, signal }) =>
      mapStreamErrors(ctx.requestId, tailEntries({ ...ctx.caller, ...(signal && { signal }) }, input, ctx)),
    ),
});
