import { getFacets } from "@/server/audit/entries/facets";
import { getAuditEntry } from "@/server/audit/entries/get";
import { getHistogram } from "@/server/audit/entries/histogram";
import { listFullEntries } from "@/server/audit/entries/list";
import { listRelated } from "@/server/audit/entries/related";
import {
  wholeCompliance,
  wholeSecurityEvents,
  wholeStatistics,
  wholeUserActivity,
} from "@/server/audit/entries/reports/whole-reports";
import { foldRoutine } from "@/server/audit/entries/routine";
import { followEntries } from "@/server/audit/tail/tail";
import { query, router, subscription } from "./init";

export const auditRouter = router({
  list: query(listFullEntries),
  get: query(getAuditEntry),
  related: query(listRelated),
  reportUserActivity: query(wholeUserActivity),
  reportSecurityEvents: query(wholeSecurityEvents),
  reportCompliance: query(wholeCompliance),
  statistics: query(wholeStatistics),
  facets: query(getFacets),
  histogram: query(getHistogram),
  routine: query(foldRoutine),
  tail: subscription(followEntries),
});
