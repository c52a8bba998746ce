import { sentenceText } from "@/server/audit/sentence";
import type { Category } from "@/server/audit/vocabulary";
import { writeExact } from "@/server/ground/exact-json";
import type { BatchMarker, Format, StreamedEntry } from "./format";
import { type Act, actOf, addressOf, deviceOf, given, PRODUCT } from "./parts";

/** Elastic Common Schema: the fields of elastic.co/guide/en/ecs, ours under `trailmark`. */

const ECS_VERSION = "9.0.0";
const MODULE = { module: "trailmark", provider: PRODUCT.name };
const OUTCOME = { success: "success", failure: "failure", denied: "failure" } as const;

const TYPE: Record<Act, string> = {
  create: "creation",
  read: "access",
  update: "change",
  delete: "deletion",
  other: "info",
};
const CATEGORY: Record<Category, string> = {
  authentication: "authentication",
  device: "host",
  automation: "process",
  policy: "configuration",
  alert: "configuration",
  compliance: "api",
  organization: "configuration",
  system: "configuration",
};

/** `event.category` and `event.type`, in combinations allowed by ECS. */
function kindsOf({ action, category, result }: StreamedEntry["entry"]): { category: string; type: string[] } {
  if (result === "denied") return { category: "api", type: ["denied"] };
  if (/^user\.(login|logout|step_up|session|token)\b/.test(action))
    return { category: "authentication", type: [/^user\.(logout|session)\b/.test(action) ? "end" : "start"] };
  const type = TYPE[actOf(action)];
  if (action.startsWith("user.")) return { category: "iam", type: ["user", type === "access" ? "info" : type] };
  const found = CATEGORY[category];
  if (found === "configuration" || found === "api") return { category: found, type: [type] };
  return { category: found, type: [type === "creation" || type === "deletion" ? "change" : type] };
}

function actorMembers({ entry }: StreamedEntry) {
  const { user, actorType } = entry;
  return {
    id: user.id,
    name: user.email || user.name,
    full_name: user.name,
    email: user.email,
    roles: [user.role],
    actorType,
  };
}

function documentOf(streamed: StreamedEntry) {
  const { entry, row, organization, origin, sealedAt } = streamed;
  const device = deviceOf(streamed);
  const address = addressOf(streamed);
  const { actorType, ...user } = actorMembers(streamed);
  const kinds = kindsOf(entry);
  return given({
    "@timestamp": entry.timestamp,
    ecs: { version: ECS_VERSION },
    message: sentenceText(entry, organization.name),
    event: given({
      id: entry.id,
      sequence: entry.chainSeq,
      kind: "event",
      category: [kinds.category],
      type: kinds.type,
      action: entry.action,
      outcome: OUTCOME[entry.result],
      reason: entry.errorMessage,
      dataset: "trailmark.audit",
      ...MODULE,
      created: sealedAt,
      hash: entry.checksum,
    }),
    organization: { id: organization.id, name: organization.name },
    user: given(user),
    source: address && given({ address: address.text, ip: address.family && address.text }),
    user_agent: entry.userAgent ? { original: entry.userAgent } : null,
    error: entry.errorMessage ? { message: entry.errorMessage } : null,
    host: device && given({ name: device.name, hostname: device.name, id: device.id }),
    trailmark: given({
      actor: { type: actorType },
      category: entry.category,
      resource: given(entry.resource),
      result: entry.result,
      previous_hash: entry.prevChecksum,
      origin,
      slug: organization.slug,
      submitted_by: entry.submittedBy,
      details: row.details === null ? null : entry.details,
    }),
  });
}

/** The marker as text: an object with its list of pairs would have no mapping. */
const markerDocument = (marker: BatchMarker, origin: string) => ({
  "@timestamp": marker.at,
  ecs: { version: ECS_VERSION },
  event: {
    id: marker.batch,
    kind: "event",
    category: ["configuration"],
    type: ["info"],
    action: marker.type,
    dataset: "trailmark.batch",
    ...MODULE,
  },
  organization: { id: marker.orgId },
  trailmark: { marker: JSON.stringify({ ...marker, origin }) },
});

export const ecs: Format = {
  mediaType: "application/json",
  entry: (streamed) => writeExact(JSON.stringify(documentOf(streamed))),
  marker: (marker, origin) => JSON.stringify(markerDocument(marker, origin)),
};
