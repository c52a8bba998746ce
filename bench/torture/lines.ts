import { changedEvidence } from "./evidence";
import { changedEvidenceInBrowser } from "./evidence-browser";
import { fairShares } from "./fair-shares";
import { feedKills } from "./feed-kills";
import { generatedRequests } from "./fuzz";
import { costlyRequests } from "./hostile";
import { importKills } from "./import-kills";
import { exportKills } from "./jobs/export";
import { migrationKills } from "./jobs/migration";
import { pruneKills } from "./jobs/prune";
import { treeKills, verificationKills } from "./jobs/verification";
import { databaseKills, serverKills } from "./kills";
import { rowsOf } from "./line";
import { liveQueries } from "./live";
import { clockChanges } from "./machine/clock";
import { fullDisk, powerCuts } from "./machine/disk";
import { malformedRequests } from "./malformed";
import { proxyHeaders } from "./proxy";
import { ruleKills } from "./rule-kills";
import { slowFiles } from "./slow-files";
import { soak } from "./soak/soak";
import { largeFleet } from "./soak/streams";
import { freezes, stops } from "./stops";
import { streamKills } from "./stream-kills";
import { deletedRuns, lostHeads } from "./tampering";
import { orderedTests } from "./tests";
import { FORMER_CHECKOUT, upgrades } from "./upgrade";

/** The torture table, in order of execution. */
export const ROWS = [
  ...[databaseKills, serverKills, streamKills, feedKills, ruleKills, liveQueries, importKills],
  ...[pruneKills, migrationKills, exportKills, verificationKills, treeKills],
  ...[changedEvidenceInBrowser, clockChanges, fullDisk, powerCuts, slowFiles, freezes, stops],
  ...[generatedRequests, costlyRequests, malformedRequests, deletedRuns, changedEvidence, lostHeads],
  ...[fairShares, proxyHeaders, ...orderedTests, soak, largeFleet],
  ...(FORMER_CHECKOUT ? [upgrades] : []),
].flatMap(rowsOf);
