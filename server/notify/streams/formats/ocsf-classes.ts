import { type Act, actOf, verbOf } from "./parts";

/** OCSF 1.9.0 class and activity of an action. */

/** Owner of the account in an identity event. */
export type Account = "actor" | "resource";
export type Places = {
  class_uid: number;
  class_name: string;
  category_uid: number;
  category_name: string;
  activity_id: number;
  activity_name: string;
  account: Account;
};

const USER_CHANGED = 3007;
const ACCOUNT_CHANGED = 3001;
const ACCESS_CHANGED = 3005;
export const LOGON = 3002;
export const ENTITY = 3004;
export const EVENT_LOG = 1008;
const API = 6003;

export const isApi = (class_uid: number): boolean => class_uid === API;

/** Activity ids, besides Unknown and Other. */
const CLASSES: Readonly<Record<number, { name: string; activities: Readonly<Record<number, string>> }>> = {
  [EVENT_LOG]: {
    name: "Event Log Activity",
    activities: { 1: "Clear", 2: "Delete", 3: "Export", 4: "Archive" },
  },
  [ACCOUNT_CHANGED]: {
    name: "Account Change",
    activities: {
      1: "Create",
      2: "Enable",
      3: "Password Change",
      4: "Password Reset",
      5: "Disable",
      6: "Delete",
      10: "MFA Factor Enable",
      11: "MFA Factor Disable",
    },
  },
  [LOGON]: { name: "Authentication", activities: { 1: "Logon", 2: "Logoff" } },
  [ENTITY]: {
    name: "Entity Management",
    activities: {
      1: "Create",
      2: "Read",
      3: "Update",
      4: "Delete",
      6: "Enroll",
      7: "Unenroll",
      8: "Enable",
      9: "Disable",
      12: "Suspend",
      13: "Resume",
    },
  },
  [ACCESS_CHANGED]: { name: "User Access Management", activities: { 1: "Assign Privileges" } },
  [USER_CHANGED]: {
    name: "User Management",
    activities: {
      1: "Create",
      2: "Update",
      3: "Delete",
      4: "Enable",
      5: "Disable",
      8: "Password Change",
      9: "Password Reset",
      12: "Enable MFA Factors",
      13: "Disable MFA Factors",
      14: "Assign Privileges",
    },
  },
  [API]: { name: "API Activity", activities: { 1: "Create", 2: "Read", 3: "Update", 4: "Delete" } },
};

const CATEGORY: Readonly<Record<number, string>> = {
  1: "System Activity",
  3: "Identity & Access Management",
  6: "Application Activity",
};

type Chosen = { uid: number; activity: number; account?: Account };
const OTHER = 99;
const user = (activity: number): Chosen => ({ uid: USER_CHANGED, activity, account: "resource" });

/** Actions whose class does not follow from the code. */
const BY_ACTION: Readonly<Record<string, Chosen>> = {
  "user.login": { uid: LOGON, activity: 1 },
  "user.login.failed": { uid: LOGON, activity: 1 },
  "user.login.unknown": { uid: LOGON, activity: 1 },
  "user.logout": { uid: LOGON, activity: 2 },
  "user.session.end": { uid: LOGON, activity: 2, account: "resource" },
  "user.step_up": { uid: LOGON, activity: OTHER },
  "user.token.reuse": { uid: LOGON, activity: OTHER },
  "user.create": user(1),
  "user.update": user(2),
  "user.delete": user(3),
  "user.enable": user(4),
  "user.disable": user(5),
  "user.password.change": user(8),
  "user.password.reset": user(9),
  "user.two_factor.enable": user(12),
  "user.two_factor.disable": user(13),
  "user.permission.change": user(14),
  "user.permission.denied": { uid: API, activity: OTHER },
  "audit_logs.export": { uid: EVENT_LOG, activity: 3 },
  "audit_logs.export.download": { uid: EVENT_LOG, activity: 3 },
  "audit_logs.evidence": { uid: EVENT_LOG, activity: 3 },
  "audit_logs.proof": { uid: EVENT_LOG, activity: 3 },
  "audit.retention.prune": { uid: EVENT_LOG, activity: 2 },
  "organization.device_logs.prune": { uid: EVENT_LOG, activity: 2 },
  "audit.restored": { uid: EVENT_LOG, activity: OTHER },
  "audit.chain.head.repair": { uid: EVENT_LOG, activity: OTHER },
  "backup.created": { uid: EVENT_LOG, activity: 4 },
  "backup.restored": { uid: EVENT_LOG, activity: OTHER },
  "agent.enroll": { uid: ENTITY, activity: 6 },
  "agent.release": { uid: ENTITY, activity: 7 },
  "agent.revoke": { uid: ENTITY, activity: 7 },
};

/** Entity Management verbs more exact than the act. */
const ENTITY_VERB: Readonly<Record<string, number>> = { enable: 8, disable: 9, pause: 12, suspend: 12, resume: 13 };
const ACTIVITY: Record<Act, number> = { create: 1, read: 2, update: 3, delete: 4, other: OTHER };
/** Managed entities; all other actions use the API without changing an entity. */
const ENTITIES =
  /^(partner|organization|device|custom_fields?|api_key|enrollment_key|webhook|stream|report_schedule|audit\.view|policy|script|alert)\./;

/** User Management activities under Account Change and User Access. */
const OLDER: Readonly<Record<number, Omit<Chosen, "account">>> = {
  1: { uid: ACCOUNT_CHANGED, activity: 1 },
  3: { uid: ACCOUNT_CHANGED, activity: 6 },
  4: { uid: ACCOUNT_CHANGED, activity: 2 },
  5: { uid: ACCOUNT_CHANGED, activity: 5 },
  8: { uid: ACCOUNT_CHANGED, activity: 3 },
  9: { uid: ACCOUNT_CHANGED, activity: 4 },
  12: { uid: ACCOUNT_CHANGED, activity: 10 },
  13: { uid: ACCOUNT_CHANGED, activity: 11 },
  14: { uid: ACCESS_CHANGED, activity: 1 },
};

function choose(action: string): Chosen {
  const exact = Object.hasOwn(BY_ACTION, action) ? BY_ACTION[action] : undefined;
  if (exact) return exact;
  if (action.startsWith("user.")) return user(OTHER);
  const act = ACTIVITY[actOf(action)];
  if (!ENTITIES.test(action)) return { uid: API, activity: act };
  const verb = verbOf(action);
  return { uid: ENTITY, activity: Object.hasOwn(ENTITY_VERB, verb) ? (ENTITY_VERB[verb] ?? act) : act };
}

function toOlder({ uid, activity, ...rest }: Chosen): Chosen {
  if (uid !== USER_CHANGED) return { uid, activity, ...rest };
  return { ...rest, ...(OLDER[activity] ?? { uid: ACCOUNT_CHANGED, activity: OTHER }) };
}

/** Class, category and activity of any action code, known or not. */
export function classOf(action: string, isOlder: boolean): Places {
  const chosen = choose(action);
  const { uid, activity, account = "actor" } = isOlder ? toOlder(chosen) : chosen;
  const known = CLASSES[uid];
  const category_uid = Math.floor(uid / 1000);
  return {
    class_uid: uid,
    class_name: known?.name ?? "",
    category_uid,
    category_name: CATEGORY[category_uid] ?? "",
    activity_id: activity,
    activity_name: known?.activities[activity] ?? action,
    account,
  };
}
