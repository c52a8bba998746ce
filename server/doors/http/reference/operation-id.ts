/** Singulars of path words that a rule cannot derive. */
const SINGULAR: Readonly<Record<string, string>> = {
  entries: "entry",
  deliveries: "delivery",
  batches: "batch",
  library: "library",
};

const singular = (word: string): string => SINGULAR[word] ?? word.replace(/s$/, "");
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const camel = (word: string): string => word.split("-").map(capital).join("");

/** Operations whose path does not tell their purpose. */
const BY_OPERATION: Readonly<Record<string, string>> = {
  "GET /audit-logs": "listFlatAuditLogs",
  "GET /audit-logs/logs": "listAuditLogs",
  "GET /audit-logs/logs/{id}": "getAuditLog",
  "GET /audit-logs/logs/{id}/around": "listAuditLogsAround",
  "GET /audit-logs/logs/{id}/proof": "getAuditLogProof",
  "GET /audit-logs/search": "searchAuditLogs",
  "GET /audit-logs/feed": "followAuditLogs",
  "GET /audit-logs/stats": "getAuditLogStatistics",
  "GET /audit-logs/integrity": "verifyAuditLogs",
  "GET /audit-logs/evidence": "exportEvidence",
  "GET /audit-logs/checkpoints": "listCheckpoints",
  "GET /audit-logs/export": "exportAuditLogsAsCsv",
  "POST /audit-logs/export": "exportAuditLogs",
  "POST /audit-logs/events": "recordEvents",
  "GET /audit-logs/reports/compliance": "reportCompliance",
  "GET /audit-logs/reports/security-events": "reportSecurityEvents",
  "GET /audit-logs/reports/user-activity": "reportUserActivity",
  "POST /auth/token": "createToken",
  "POST /auth/token/second-factor": "createTokenBySecondFactor",
  "POST /auth/refresh": "refreshToken",
  "POST /auth/logout": "logOut",
  "POST /auth/invite/accept": "acceptInvitation",
  "POST /auth/password/forgot": "requestPasswordReset",
  "POST /auth/password/reset": "resetPassword",
  "GET /me": "getMe",
  "POST /me/password": "changePassword",
  "POST /me/step-up": "confirmIdentity",
  "POST /me/step-up/options": "beginConfirmation",
  "POST /me/passkeys/options": "beginPasskey",
  "GET /me/two-factor": "getTwoFactor",
  "POST /me/two-factor/totp": "beginTotp",
  "DELETE /me/two-factor/totp": "deleteTotp",
  "POST /me/two-factor/totp/confirm": "confirmTotp",
  "POST /me/two-factor/recovery-codes": "renewRecoveryCodes",
  "GET /me/notification-settings": "getNotificationSettings",
  "PUT /me/notification-settings": "setNotificationSettings",
  "GET /notifications/summary": "getNotificationSummary",
  "POST /notifications/read": "markNotificationsRead",
  "POST /agents/enroll": "enrollAgent",
  "POST /agents/{id}/heartbeat": "sendHeartbeat",
  "POST /agents/{id}/logs": "submitAgentLogs",
  "PUT /agents/{id}/eventlogs": "submitDeviceEvents",
  "GET /agents/{id}/commands": "openAgentCommands",
  "POST /agents/{id}/commands/{commandId}/result": "submitCommandResult",
  "DELETE /devices/{id}/agent": "revokeAgent",
  "POST /devices/{id}/agent/release": "releaseAgent",
  "PATCH /devices/{id}/custom-fields": "setDeviceCustomFields",
  "GET /devices/{id}/eventlogs": "listDeviceEvents",
  "GET /devices/{id}/timeline": "getDeviceTimeline",
  "GET /detections/alerts/{id}/evidence": "getAlertEvidence",
  "POST /detections/rules/backtest": "backtestDetectionRule",
  "POST /detections/rules/draft": "draftDetectionRule",
  "GET /orgs/overview": "listOrganizationOverviews",
  "GET /orgs/partner": "getPartner",
  "PATCH /orgs/partner": "updatePartner",
  "GET /archive/restore": "listRestorations",
  "POST /archive/restore": "restoreArchive",
  "GET /archive/restore/{id}/entries": "listRestoredEntries",
  "GET /scripts/system-library": "listSystemScripts",
  "GET /openapi.json": "getApiDocument",
  "POST /streams/preview": "previewStream",
  "GET /proof-links/{token}": "openProofLink",
};

const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "create",
  PUT: "set",
  PATCH: "update",
  DELETE: "delete",
};
/** Last path words that are actions on the thing before. */
const ACTS = new Set([
  "rotate",
  "check",
  "pause",
  "resume",
  "replay",
  "test",
  "invite",
  "resend",
  "release",
  "upload",
  "verify",
]);

/**
 * Name of an operation as a function, such as listStreams, createStream, getStream, rotateStream or listStreamBatches.
 * @param path as in the document, with {name} for parameters
 */
export function operationIdOf(method: string, path: string): string {
  const known = BY_OPERATION[`${method} ${path}`];
  if (known) return known;
  const parts = path.split("/").slice(1);
  const words = parts.filter((part) => !part.startsWith("{") && part !== "orgs" && part !== "me");
  const last = words.at(-1) ?? "";
  const isAct = ACTS.has(last);
  const nouns = (isAct ? words.slice(0, -1) : words).map((word) => word.replace(/^audit-logs$/, "audit-log"));
  const isMany = !isAct && method === "GET" && !parts.at(-1)?.startsWith("{") && last.endsWith("s");
  const verb = isAct ? last : isMany ? "list" : VERBS[method];
  return verb + nouns.map((word, at) => camel(isMany && at === nouns.length - 1 ? word : singular(word))).join("");
}
