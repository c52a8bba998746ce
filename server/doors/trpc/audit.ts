import { getFacets } from "@/server/audit/entries/counts/facets";
import { getHistogram } from "@/server/audit/entries/counts/histogram";
import { foldRoutine } from "@/server/audit/entries/counts/routine";
import { getAuditEntry, getEntryJson, getNeighbours, getPreviousChange, listRelated } from "@/server/audit/entries/get";
import { listForPrint, listFullEntries } from "@/server/audit/entries/list";
import {
  wholeCompliance,
  wholeSecurityEvents,
  wholeStatistics,
  wholeUserActivity,
} from "@/server/audit/entries/reports/whole-reports";
import { followEntries } from "@/server/audit/tail/tail";
import { listAround } from "@/server/devices/timeline/around";
import { query, router, subscription } from "./init";

export const auditRouter = router({
  list: query(listFullEntries),
  get: query(getAuditEntry),
  json: query(getEntryJson),
  related: query(listRelated),
  neighbours: query(getNeighbours),
  around: query(listAround),
  print: query(listForPrint),
  previousChange: query(getPreviousChange),
  reportUserActivity: query(wholeUserActivity),
  reportSecurityEvents: query(wholeSecurityEvents),
  reportCompliance: query(wholeCompliance),
  statistics: query(wholeStatistics),
  facets: query(getFacets),
  histogram: query(getHistogram),
  routine: query(foldRoutine),
  tail: subscription(followEntries),
});
