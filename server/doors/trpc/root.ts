import { getFacets } from "@/server/audit/entries/counts/facets";
import { getHistogram } from "@/server/audit/entries/counts/histogram";
import { foldRoutine } from "@/server/audit/entries/counts/routine";
import { getAuditEntry, getEntryJson, getNeighbours, getPreviousChange, listRelated } from "@/server/audit/entries/get";
import { listEntries, listForPrint } from "@/server/audit/entries/list";
import { findNames } from "@/server/audit/entries/names";
import {
  wholeCompliance,
  wholeSecurityEvents,
  wholeStatistics,
  wholeUserActivity,
} from "@/server/audit/entries/reports/whole-reports";
import { followEntries } from "@/server/audit/tail/tail";
import {
  countUsage,
  createDefinition,
  getDefinition,
  listDefinitions,
  removeDefinition,
} from "@/server/custom-fields/definitions";
import { editValues, pickCandidate, undoEdit } from "@/server/custom-fields/import/edit";
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
import { listRows } from "@/server/custom-fields/import/rows";
import { startCheck, startRun, startStaging, startUndo } from "@/server/custom-fields/import/start";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import { retypeDefinition, updateDefinition } from "@/server/custom-fields/update";
import { listDeviceValues } from "@/server/custom-fields/values";
import { getAlert, listAlerts, updateAlert } from "@/server/detections/alerts";
import { backtestRule } from "@/server/detections/backtest";
import { createException, listExceptions, removeException } from "@/server/detections/exceptions";
import { createRule, draftRule, getRule, listRules, removeRule, updateRule } from "@/server/detections/rules";
import { getInstallers } from "@/server/devices/agents/install/agent-files";
import { releaseAgent, revokeAgent } from "@/server/devices/agents/revoke";
import { getDevice, listDevices } from "@/server/devices/devices";
import { getEvent, getLog, listLogs as listLiveLogs, queryEvents } from "@/server/devices/live/queries";
import { listLogs } from "@/server/devices/logs/agent-logs";
import { listEvents } from "@/server/devices/logs/event-logs";
import { getDeviceLogPolicy, previewDeviceLogs, setDeviceLogPolicy } from "@/server/devices/logs/policy";
import { listSystemLibrary } from "@/server/devices/scripts/list-system-library";
import { listAround } from "@/server/devices/timeline/around";
import { listTimeline } from "@/server/devices/timeline/timeline";
import { listAlarms } from "@/server/evidence/integrity/alarm";
import { getEntryStatus } from "@/server/evidence/integrity/entry-status";
import { listCheckpoints, verifyIntegrity } from "@/server/evidence/integrity/integrity";
import { getIntegrityStatus } from "@/server/evidence/integrity/status";
import { getVerifyProgress } from "@/server/evidence/integrity/verify-progress";
import { listProofLinks, revokeProofLink, shareProof } from "@/server/evidence/links/links";
import { createEntryProof } from "@/server/evidence/proofs/prove";
import { createExport, listExports, removeExport } from "@/server/exports/exports";
import type { Permission } from "@/server/ground/permissions";
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from "@/server/identity/api-keys/api-keys";
import { acceptInvite, forgotPassword, resetPassword } from "@/server/identity/auth/links/password-link";
import { describeChallenge } from "@/server/identity/auth/second-factor/challenge";
import {
  createEnrollmentKey,
  listEnrollmentKeys,
  revokeEnrollmentKey,
} from "@/server/identity/enrollment-keys/enrollment-keys";
import { changePassword, endSession, getMe, listSessions } from "@/server/identity/me/account";
import { beginStepUp, checkProof, stepUp } from "@/server/identity/me/step-up";
import {
  addPasskey,
  beginPasskey,
  beginTotp,
  confirmTotp,
  getTwoFactor,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
} from "@/server/identity/me/two-factor/two-factor";
import { getPreference, setPreference } from "@/server/identity/preferences/preferences";
import { inviteUser } from "@/server/identity/users/invite";
import { updateUser } from "@/server/identity/users/update";
import { createUser, listUsers } from "@/server/identity/users/users";
import { listDeliveries, resendDelivery, testWebhook } from "@/server/notify/deliveries/deliveries";
import { getSummary, listNotifications, markRead } from "@/server/notify/notifications/list";
import { getSettings, setSettings } from "@/server/notify/notifications/settings";
import { createSchedule, listSchedules, removeSchedule } from "@/server/notify/report-schedules/schedules";
import { listObjects, verifyObject } from "@/server/notify/streams/archive/objects";
import { listRestorations, listRestored, restoreArchive } from "@/server/notify/streams/archive/restore";
import {
  checkStream,
  listBatches,
  listGaps,
  pauseStream,
  previewStream,
  replayStream,
  resumeStream,
} from "@/server/notify/streams/control";
import {
  createStream,
  getStream,
  listStreams,
  removeStream,
  rotateStream,
  updateStream,
} from "@/server/notify/streams/streams";
import {
  createWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
  updateWebhook,
} from "@/server/notify/webhooks/webhooks";
import {
  createOrganization,
  getOrganization,
  getPartnerPolicy,
  setPartnerPolicy,
  updateOrganization,
} from "@/server/organizations/organizations";
import { countChains, listOverview } from "@/server/organizations/overview/list";
import { getToday } from "@/server/organizations/overview/today";
import { getPolicyStatus, previewMany, previewPruning, setPolicies, setPolicy } from "@/server/retention/policy";
import { createSavedView, listSavedViews, removeSavedView, updateSavedView } from "@/server/saved-views/saved-views";
import { dismissChecklist, getChecklist } from "@/server/setup/checklist/checklist";
import { completeSetup, getSetupStatus } from "@/server/setup/setup";
import { mutation, type ProcedureMeta, query, router, subscription } from "./init";

/** Every procedure of the tRPC door, one router per domain. */
export const appRouter = router({
  apiKeys: router({
    list: query(listApiKeys),
    create: mutation(createApiKey),
    update: mutation(updateApiKey),
    rotate: mutation(rotateApiKey),
    revoke: mutation(revokeApiKey),
  }),
  archive: router({
    objects: query(listObjects),
    verify: mutation(verifyObject),
    restore: mutation(restoreArchive),
    restorations: query(listRestorations),
    entries: query(listRestored),
  }),
  audit: router({
    list: query(listEntries),
    names: query(findNames),
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
  }),
  /** For visitors: choosing a password by a link, and the second step of a sign-in. */
  auth: router({
    acceptInvite: mutation(acceptInvite, "none"),
    forgotPassword: mutation(forgotPassword, "none"),
    describeChallenge: mutation(describeChallenge, "none"),
    resetPassword: mutation(resetPassword, "none"),
  }),
  customFields: router({
    list: query(listDefinitions),
    get: query(getDefinition),
    usage: query(countUsage),
    create: mutation(createDefinition),
    update: mutation(updateDefinition),
    retype: mutation(retypeDefinition),
    remove: mutation(removeDefinition),
    ofDevice: query(listDeviceValues),
    setOfDevice: mutation(setDeviceValues),
  }),
  deliveries: router({
    list: query(listDeliveries),
    resend: mutation(resendDelivery),
  }),
  /** Detection rules, backtests and alerts. */
  detections: router({
    rules: query(listRules),
    rule: query(getRule),
    // A read by POST, because a filter does not fit into an address.
    draft: query(draftRule),
    createRule: mutation(createRule),
    updateRule: mutation(updateRule),
    removeRule: mutation(removeRule),
    backtest: mutation(backtestRule),
    alerts: query(listAlerts),
    alert: query(getAlert),
    updateAlert: mutation(updateAlert),
    exceptions: query(listExceptions),
    createException: mutation(createException),
    removeException: mutation(removeException),
  }),
  devices: router({
    list: query(listDevices),
    get: query(getDevice),
    revokeAgent: mutation(revokeAgent),
    releaseAgent: mutation(releaseAgent),
    diagnosticLogs: query(listLogs),
    eventLogs: query(listEvents),
    timeline: query(listTimeline),
  }),
  enrollmentKeys: router({
    list: query(listEnrollmentKeys),
    create: mutation(createEnrollmentKey),
    revoke: mutation(revokeEnrollmentKey),
    installers: query(getInstallers),
  }),
  /** The caller's own exports in the background. */
  exports: router({
    list: query(listExports),
    create: mutation(createExport),
    remove: mutation(removeExport),
  }),
  /** State of the chain, verification, signed heads, and alarms for the banner. */
  integrity: router({
    status: query(getIntegrityStatus),
    verify: mutation(verifyIntegrity),
    progress: query(getVerifyProgress),
    checkpoints: query(listCheckpoints),
    entryStatus: query(getEntryStatus),
    alarms: query(listAlarms),
  }),
  /** Live queries of a device's event logs, answered by its agent. */
  liveEvents: router({
    logs: query(listLiveLogs),
    log: query(getLog),
    events: query(queryEvents),
    event: query(getEvent),
  }),
  /** The import wizard, step by step; files are uploaded over REST (custom-fields/imports/upload). */
  imports: router({
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
  }),
  me: router({
    get: query(getMe),
    changePassword: mutation(changePassword),
    sessions: query(listSessions),
    endSession: mutation(endSession),
    twoFactor: query(getTwoFactor),
    beginTotp: mutation(beginTotp),
    confirmTotp: mutation(confirmTotp),
    removeTotp: mutation(removeTotp),
    renewRecoveryCodes: mutation(renewRecoveryCodes),
    beginPasskey: mutation(beginPasskey),
    addPasskey: mutation(addPasskey),
    removePasskey: mutation(removePasskey),
    beginStepUp: mutation(beginStepUp),
    stepUp: mutation(stepUp),
    checkProof: mutation(checkProof),
  }),
  notifications: router({
    list: query(listNotifications),
    summary: query(getSummary),
    read: mutation(markRead),
    settings: query(getSettings),
    setSettings: mutation(setSettings),
  }),
  /** Every signed-in user sees organizations in reach; changing them needs the permission. */
  organizations: router({
    partnerPolicy: query(getPartnerPolicy),
    setPartnerPolicy: mutation(setPartnerPolicy),
    get: query(getOrganization),
    overview: query(listOverview),
    chains: query(countChains),
    today: query(getToday),
    create: mutation(createOrganization),
    update: mutation(updateOrganization),
  }),
  /** The caller's display preferences. */
  preferences: router({
    get: query(getPreference),
    set: mutation(setPreference),
  }),
  /** Proofs of single entries and short links to them. Creating one is recorded, hence a mutation. */
  proofs: router({
    create: mutation(createEntryProof),
    links: query(listProofLinks),
    share: mutation(shareProof),
    revoke: mutation(revokeProofLink),
  }),
  /** Only the caller's own schedules. */
  reportSchedules: router({
    list: query(listSchedules),
    create: mutation(createSchedule),
    remove: mutation(removeSchedule),
  }),
  /** Every reader of the audit log may keep views; the verbs decide who may share or change them. */
  savedViews: router({
    list: query(listSavedViews),
    create: mutation(createSavedView),
    update: mutation(updateSavedView),
    remove: mutation(removeSavedView),
  }),
  scripts: router({
    systemLibrary: query(listSystemLibrary),
  }),
  /** Every reader of the audit log sees how long it is kept; changing that needs audit:manage. */
  retention: router({
    get: query(getPolicyStatus),
    preview: query(previewPruning),
    // A read by POST, because a thousand ids do not fit into an address.
    previewMany: mutation(previewMany),
    setMany: mutation(setPolicies),
    set: mutation(setPolicy),
    deviceLogs: query(getDeviceLogPolicy),
    previewDeviceLogs: query(previewDeviceLogs),
    setDeviceLogs: mutation(setDeviceLogPolicy),
  }),
  /** First run, for the holder of the console's token, and the checklist of remaining steps. */
  setup: router({
    status: query(getSetupStatus, "none"),
    complete: mutation(completeSetup, "none"),
    checklist: query(getChecklist),
    dismissChecklist: mutation(dismissChecklist),
  }),
  streams: router({
    list: query(listStreams),
    get: query(getStream),
    create: mutation(createStream),
    update: mutation(updateStream),
    remove: mutation(removeStream),
    check: mutation(checkStream),
    pause: mutation(pauseStream),
    resume: mutation(resumeStream),
    replay: mutation(replayStream),
    rotate: mutation(rotateStream),
    batches: query(listBatches),
    gaps: query(listGaps),
    preview: query(previewStream),
  }),
  users: router({
    list: query(listUsers),
    create: mutation(createUser),
    update: mutation(updateUser),
    invite: mutation(inviteUser),
  }),
  webhooks: router({
    list: query(listWebhooks),
    create: mutation(createWebhook),
    update: mutation(updateWebhook),
    rotate: mutation(rotateWebhook),
    test: mutation(testWebhook),
    remove: mutation(removeWebhook),
  }),
});
export type AppRouter = typeof appRouter;

type Declared = Record<string, { _def: { meta?: ProcedureMeta } } | undefined>;

/** Required permission of a procedure; undefined without one, or for an unknown procedure. */
export const permissionOf = (path: string): Permission | undefined =>
  (appRouter._def.procedures as unknown as Declared)[path]?._def.meta?.permission;
