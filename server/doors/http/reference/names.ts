import type { z } from "zod";
import { exportInput, exportOutput } from "@/server/audit/entries/export-schema";
import {
  complianceReport,
  securityReport,
  statistics,
  userActivityReport,
} from "@/server/audit/entries/reports/report-schema";
import { flatPage, fullEntry, fullPage, searchPage } from "@/server/audit/schema";
import { definition } from "@/server/custom-fields/schema";
import { alert, exception, rule } from "@/server/detections/schema";
import { eventOutput, eventsOutput, entry as liveEvent, logOutput, logsOutput } from "@/server/devices/live/schema";
import { agentLog } from "@/server/devices/logs/agent-log-schema";
import { eventLog } from "@/server/devices/logs/event-log-schema";
import { deviceLogPolicy, deviceLogPreview } from "@/server/devices/logs/policy-schema";
import { deviceDetail, devicePage } from "@/server/devices/schema";
import { libraryScript } from "@/server/devices/scripts/schema";
import { aroundPage, timelinePage } from "@/server/devices/timeline/schema";
import { checkpointsOutput, integrityOutput } from "@/server/evidence/integrity/schema";
import { exportJob } from "@/server/exports/schema";
import { guid, isoTime, pagination } from "@/server/ground/wire";
import { apiKey, createdApiKey } from "@/server/identity/api-keys/schema";
import { tokenOutput } from "@/server/identity/auth/schema";
import { createdEnrollmentKey, enrollmentKeyPage } from "@/server/identity/enrollment-keys/schema";
import { me, sessionList } from "@/server/identity/me/schema";
import { recoveryCodes } from "@/server/identity/me/two-factor/schema";
import { user } from "@/server/identity/users/schema";
import { delivery } from "@/server/notify/deliveries/schema";
import { notificationPage, settings } from "@/server/notify/notifications/schema";
import { reportSchedule } from "@/server/notify/report-schedules/schema";
import { archiveObject, restoration } from "@/server/notify/streams/archive/schema";
import { batchPage, checkResult, createdStream, gapPage, stream } from "@/server/notify/streams/schema";
import { createdWebhook, webhook } from "@/server/notify/webhooks/schema";
import { overviewPage } from "@/server/organizations/overview/schema";
import { organization, partnerPolicy } from "@/server/organizations/schema";
import { policy, preview } from "@/server/retention/schema";

/**
 * Schemas named in the API document, which refers to them by shape. Separate from the schemas, because the browser
 * loads those.
 */
export const NAMES = {
  Uuid: guid,
  Timestamp: isoTime,
  Pagination: pagination,
  AuditEntry: fullEntry,
  AuditEntryPage: fullPage,
  AuditActor: fullEntry.shape.user,
  AuditResource: fullEntry.shape.resource,
  AuditPagination: fullPage.shape.pagination,
  FlatAuditEntry: flatPage.shape.entries.element,
  FlatAuditEntryPage: flatPage,
  AuditSearchPage: searchPage,
  ActorType: fullEntry.shape.actorType,
  Category: fullEntry.shape.category,
  Result: fullEntry.shape.result,
  Submitter: fullEntry.shape.submittedBy.unwrap(),
  AuditExport: exportOutput,
  AuditFilters: exportInput.shape.filters.unwrap(),
  DateRange: exportInput.shape.dateRange.unwrap(),
  ExportJob: exportJob,
  ExportFormat: exportJob.shape.format,
  ActionCount: securityReport.shape.byAction.element,
  ActiveUser: userActivityReport.shape.topUsers.element,
  ComplianceReport: complianceReport,
  SecurityReport: securityReport,
  AuditStatistics: statistics,
  UserActivityReport: userActivityReport,
  DeviceSummary: devicePage.shape.data.element,
  Device: deviceDetail,
  DiagnosticLog: agentLog,
  DiagnosticLevel: agentLog.shape.level,
  DeviceEvent: eventLog,
  DeviceEventLevel: eventLog.shape.level,
  DeviceEventCategory: eventLog.shape.category,
  LiveEventLog: logOutput.shape.data,
  LiveEvent: liveEvent,
  LiveEventLevel: liveEvent.shape.level,
  LiveEventLogs: logsOutput,
  LiveEventLogAnswer: logOutput,
  LiveEventPage: eventsOutput,
  LiveEventAnswer: eventOutput,
  LiveSearch: logOutput.shape.data.shape.searched.unwrap(),
  TimelineItem: timelinePage.shape.data.element,
  TimelineSource: timelinePage.shape.leftOut.element,
  Tie: aroundPage.shape.ties.element,
  SystemScript: libraryScript,
  CustomField: definition,
  CustomFieldType: definition.shape.type,
  CustomFieldOwner: definition.shape.owner,
  Alert: alert,
  AlertState: alert.shape.state,
  DetectionException: exception,
  DetectionRule: rule,
  DetectionLevel: rule.shape.level,
  Checkpoint: checkpointsOutput.shape.data.element,
  Integrity: integrityOutput,
  Verdict: integrityOutput.shape.status,
  RetentionPolicy: policy,
  RetentionPreview: preview,
  DeviceLogPolicy: deviceLogPolicy,
  DeviceLogPreview: deviceLogPreview,
  DeviceLogStorage: deviceLogPolicy.shape.storage.shape.events,
  ApiKey: apiKey,
  ApiKeyWithSecret: createdApiKey,
  EnrollmentKey: enrollmentKeyPage.shape.data.element,
  EnrollmentKeyWithSecret: createdEnrollmentKey,
  Tokens: tokenOutput,
  Me: me,
  Session: sessionList.shape.data.element,
  RecoveryCodes: recoveryCodes,
  User: user,
  Organization: organization,
  OrganizationOverview: overviewPage.shape.data.element,
  Partner: partnerPolicy,
  Delivery: delivery,
  DeliveryStatus: delivery.shape.status,
  Notification: notificationPage.shape.data.element,
  NotificationKind: settings.shape.productKinds.element,
  NotificationSettings: settings,
  ReportSchedule: reportSchedule,
  Report: reportSchedule.shape.report,
  Stream: stream,
  StreamWithSecret: createdStream,
  StreamKind: stream.shape.kind,
  StreamFormat: stream.shape.format,
  StreamState: stream.shape.state,
  StreamLag: stream.shape.lag,
  ArchiveObject: archiveObject,
  Restoration: restoration,
  StreamBatch: batchPage.shape.data.element,
  StreamCheck: checkResult,
  StreamGap: gapPage.shape.data.element,
  Webhook: webhook,
  WebhookWithSecret: createdWebhook,
} satisfies Record<string, z.ZodType>;
