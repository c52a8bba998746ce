import { getFacets } from "../audit/facets";
import { facetsInput } from "../audit/facets-schema";
import { getAuditEntry } from "../audit/get";
import { getHistogram } from "../audit/histogram";
import { listFullEntries } from "../audit/list";
import { listRelated } from "../audit/related";
import { getStatistics, reportCompliance, reportSecurityEvents, reportUserActivity } from "../audit/reports";
import { entryIdInput, listInput, rangeInput, searchInput } from "../audit/schema";
import { searchEntries } from "../audit/search";
import { tailEntries } from "../audit/tail";
import { tailInput } from "../audit/tail-schema";
import { mapStreamErrors, procedure, router } from "./init";

export const auditRouter = router({
  list: procedure("audit:read")
    .input(listInput)
    .query(({ ctx, input }) => listFullEntries(ctx.caller, input)),
  search: procedure("audit:read")
    .input(searchInput)
    .query(({ ctx, input }) => searchEntries(ctx.caller, input)),
  get: procedure("audit:read")
    .input(entryIdInput)
    .query(({ ctx, input }) => getAuditEntry(ctx.caller, input)),
  related: procedure("audit:read")
    .input(entryIdInput)
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
