import { sentenceText } from "@/server/audit/sentence";
import type { AuditResult } from "@/server/audit/vocabulary";
import { writeExact } from "@/server/ground/exact-json";
import type { BatchMarker, Format, StreamedEntry } from "./format";
import { type Account, classOf, ENTITY, EVENT_LOG, isApi, LOGON, type Places } from "./ocsf-classes";
import { addressOf, deviceOf, given, PRODUCT, userNameOf } from "./parts";

/** OCSF 1.9.0 (schema.ocsf.io): an entry as an event of its action's class, with `record_integrity`. */

const OCSF_VERSION = "1.9.0";
const OTHER = 99;
/** Informational, Low, Medium. */
const SEVERITY: Record<AuditResult, number> = { success: 1, failure: 2, denied: 3 };
const STATUS: Record<AuditResult, { status_id: number; status: string }> = {
  success: { status_id: 1, status: "Success" },
  failure: { status_id: 2, status: "Failure" },
  denied: { status_id: 2, status: "Failure" },
};
const product = { name: PRODUCT.name, vendor_name: PRODUCT.name, version: PRODUCT.version };

const uidOf = (orgId: string, seq: number): string => `${orgId}/${seq}`;
const fingerprint = (value: string) => ({
  algorithm_id: OTHER,
  algorithm: "trailmark-chain-v1",
  serialization_id: OTHER,
  serialization: "trailmark-payload-v1",
  value,
});

/**
 * The chain in the profile's terms. Its fingerprint covers the stored row instead of this event, hence the custom
 * algorithm. The signature is the checkpoint's, in the marker of the batch.
 */
function attestationOf({ entry, origin }: StreamedEntry) {
  const { orgId, chainSeq, checksum, prevChecksum } = entry;
  return {
    chain_uid: orgId,
    authority_uid: origin,
    fingerprint: fingerprint(checksum),
    ...(prevChecksum && {
      prev_event: { uid: uidOf(orgId, chainSeq - 1), fingerprint: fingerprint(prevChecksum) },
    }),
  };
}

function metadataOf({ entry, sealedAt, organization }: StreamedEntry, profiles: string[]) {
  const { id, orgId, chainSeq, action } = entry;
  return given({
    version: OCSF_VERSION,
    product,
    profiles,
    uid: uidOf(orgId, chainSeq),
    original_event_uid: id,
    event_code: action,
    sequence: chainSeq,
    log_provider: PRODUCT.name,
    logged_time: sealedAt && Date.parse(sealedAt),
    tenant_uid: orgId,
    labels: [`organization:${organization.slug}`],
  });
}

/** The actor as an OCSF user: 1 User, 3 System, 4 Service. */
function userOf(streamed: StreamedEntry) {
  const { user, actorType } = streamed.entry;
  const type_id = actorType === "user" ? 1 : actorType === "system" ? 3 : 4;
  return given({
    uid: user.id,
    name: userNameOf(streamed),
    full_name: actorType === "user" ? user.name : "",
    email_addr: user.email,
    type_id,
    credential_uid: actorType === "api_key" ? user.id : "",
  });
}

/** Agents are programs: they have a name but are not users. */
function actorMember(streamed: StreamedEntry) {
  const { user, actorType } = streamed.entry;
  const isProgram = actorType === "agent" || actorType === "ai_agent";
  return isProgram ? { app_name: user.name, app_uid: user.id } : { user: userOf(streamed) };
}

/** The affected person if any, else the actor. */
function accountMember(streamed: StreamedEntry, account: Account) {
  const { resource } = streamed.entry;
  const named = given({ uid: resource.id, name: resource.name, type_id: 1 });
  const isNamed = account === "resource" && resource.type === "user" && (named.uid ?? named.name);
  return isNamed ? named : userOf(streamed);
}

function endpointOf(streamed: StreamedEntry) {
  const address = addressOf(streamed);
  if (!address) return null;
  return address.family ? { ip: address.text } : { name: address.text };
}

function entityOf({ entry, organization }: StreamedEntry) {
  const { type, id, name } = entry.resource;
  return given({
    type,
    uid: id,
    name: name || (id ? "" : type),
    org: { uid: organization.id, name: organization.name },
  });
}

function classMembers(streamed: StreamedEntry, { class_uid, account }: Pick<Places, "class_uid" | "account">) {
  const { entry } = streamed;
  const api = { operation: entry.action, service: { name: PRODUCT.name } };
  const src_endpoint = endpointOf(streamed);
  const http_request = entry.userAgent ? { user_agent: entry.userAgent } : null;
  if (class_uid === ENTITY) return { entity: entityOf(streamed), api, src_endpoint, http_request };
  if (class_uid === EVENT_LOG)
    return { log_name: "Audit log", log_type_id: 2, log_type: "Application", api, src_endpoint };
  if (isApi(class_uid)) {
    const { type, id, name } = entry.resource;
    const resources = [given({ type, uid: id, name: name || (id ? "" : type) })];
    return { api, src_endpoint: src_endpoint ?? { uid: entry.user.id }, http_request, resources };
  }
  const service = class_uid === LOGON ? { name: PRODUCT.name } : null;
  return { user: accountMember(streamed, account), service, api, src_endpoint, http_request };
}

/** Details, and members without a place in the class. */
function unmappedOf({ entry, row }: StreamedEntry) {
  const { resource, submittedBy, category } = entry;
  return given({
    details: row.details === null ? null : entry.details,
    resource: given(resource),
    actor_type: entry.actorType,
    user_agent: entry.userAgent,
    category,
    submitted_by: submittedBy,
  });
}

function eventOf(streamed: StreamedEntry, isOlder: boolean) {
  const { entry, organization } = streamed;
  const { account, ...places } = classOf(entry.action, isOlder);
  const { class_uid, activity_id } = places;
  const device = deviceOf(streamed);
  const isDenied = entry.result === "denied";
  const profiles = ["record_integrity", "host", ...(isDenied ? ["security_control"] : [])];
  return given({
    ...places,
    type_uid: class_uid * 100 + activity_id,
    time: Date.parse(entry.timestamp),
    severity_id: SEVERITY[entry.result],
    ...STATUS[entry.result],
    status_detail: entry.errorMessage,
    ...(isDenied && { action_id: 2, action: "Denied" }),
    message: sentenceText(entry, organization.name),
    metadata: metadataOf(streamed, profiles),
    actor: actorMember(streamed),
    device: device && given({ hostname: device.name, uid: device.id, type_id: 0 }),
    ...classMembers(streamed, { class_uid, account }),
    attestation_list: [attestationOf(streamed)],
    unmapped: unmappedOf(streamed),
  });
}

/** A batch's marker as a base event: no OCSF class fits. */
function markerEvent(marker: BatchMarker, origin: string) {
  return {
    class_uid: 0,
    class_name: "Base Event",
    category_uid: 0,
    category_name: "Uncategorized",
    activity_id: OTHER,
    activity_name: marker.type,
    type_uid: OTHER,
    time: Date.parse(marker.at),
    severity_id: 1,
    metadata: { version: OCSF_VERSION, product, tenant_uid: marker.orgId, event_code: marker.type, uid: marker.batch },
    unmapped: { trailmark_marker: JSON.stringify({ ...marker, origin }) },
  };
}

const formatOf = (isOlder: boolean): Format => ({
  mediaType: "application/json",
  entry: (streamed) => writeExact(JSON.stringify(eventOf(streamed, isOlder))),
  marker: (marker, origin) => JSON.stringify(markerEvent(marker, origin)),
});

export const ocsf = formatOf(false);
/** With Account Change and User Access, deprecated in 1.9.0, for receivers without User Management. */
export const ocsfOlder = formatOf(true);
