import { createHmac, randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import {
  archiveObjects,
  archiveRestorations,
  auditExports,
  auditSavedViews,
  auditSharedProofs,
  customFieldDefinitions,
  customFieldImports,
  dataStreams,
  detectionAlerts,
  detectionExceptions,
  detectionRules,
  notificationDeliveries,
  webhookEndpoints,
} from "@/db/schema";
import type { RouteAuth } from "@/server/doors/http/route";
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS, type Role } from "@/server/ground/permissions";
import { hashSecret } from "@/server/ground/secrets";
import { authenticate } from "@/server/identity/auth/authenticate";
import { signAccessToken } from "@/server/identity/auth/jwt";
import { sealSecret } from "@/server/notify/secrets";
import { newSigningSecret } from "@/server/notify/webhooks/sign";
import { appendEvents } from "@/testing/audit-entries";
import {
  bearer,
  claimsOf,
  createApiKey,
  createDevice,
  createEnrollmentKey,
  createOrg,
  createPartner,
  createUser,
  partnerOf,
  type TestApiKey,
  type TestDevice,
  type TestUser,
} from "@/testing/factories";

/** A caller of the permission matrix: token, and permissions granted by the contract. */
export type Principal = {
  name: string;
  token: string | null;
  kind: "nobody" | "person" | "key" | "agent";
  permissions: ReadonlySet<Permission>;
  /** Organizations in its reach, its own first. */
  reach: string[];
  partner: boolean;
  /** Partner staff with selected organizations only. */
  narrowed?: true;
  device?: TestDevice;
};

export type World = {
  partnerId: string;
  a: string;
  b: string;
  elsewhere: string;
  elsewherePartnerId: string;
  deviceA: TestDevice;
  deviceB: TestDevice;
  deviceElsewhere: TestDevice;
  principals: Principal[];
};

const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The same claims, unsigned or signed with another key. */
async function forged(user: TestUser, alg: "none" | "HS256"): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const body = `${b64({ alg, typ: "at+jwt" })}.${b64({ ...(await claimsOf(user)), iss: "trailmark", aud: "trailmark-api", iat: now, exp: now + 600 })}`;
  return alg === "none"
    ? `${body}.`
    : `${body}.${createHmac("sha256", "somebody else's key").update(body).digest("base64url")}`;
}

const nobody = (name: string, token: string | null): Principal => ({
  name,
  token,
  kind: "nobody",
  permissions: new Set(),
  reach: [],
  partner: false,
});

function keyed(name: string, key: TestApiKey, reach: string[]): Principal {
  return {
    name,
    token: key.key,
    kind: "key",
    permissions: new Set(key.permissions),
    reach,
    partner: key.orgId === null,
  };
}

async function person(user: TestUser, reach: string[]): Promise<Principal> {
  return {
    name: `${user.role} of ${reach.length > 1 ? "the partner" : reach[0]?.slice(0, 4)}`,
    token: await bearer(user),
    kind: "person",
    permissions: new Set(ROLE_PERMISSIONS[user.role]),
    reach,
    partner: reach.length > 1,
  };
}

/** Partner staff who reaches only one organization. */
async function narrowed(role: Role, { partnerId, orgId }: { partnerId: string; orgId: string }): Promise<Principal> {
  const user = await createUser({ partnerId, role, organizationIds: [orgId] });
  return { ...(await person(user, [orgId])), name: `${role} of one organization`, partner: true, narrowed: true };
}

const agent = (name: string, device: TestDevice): Principal => ({
  name,
  token: device.token,
  kind: "agent",
  permissions: new Set(),
  reach: [device.orgId],
  partner: false,
  device,
});

/** Two organizations of one partner, one of another, and nineteen callers. */
export async function createWorld(): Promise<World> {
  const partner = await createPartner();
  const [a, b] = [(await createOrg({ partnerId: partner.id })).id, (await createOrg({ partnerId: partner.id })).id];
  const { id: elsewhere, partnerId: elsewherePartnerId } = await createOrg();
  const [deviceA, deviceB, deviceElsewhere] = [
    await createDevice({ orgId: a }),
    await createDevice({ orgId: b }),
    await createDevice({ orgId: elsewhere }),
  ];
  const reach = [a, b, partner.homeOrgId];
  const adminA = await createUser({ orgId: a, role: "org_admin" });
  const everything = PERMISSIONS.filter((p) => p !== "custom_fields:import");
  const principals = [
    nobody("nobody", null),
    nobody("expired token", await signAccessToken(await claimsOf(adminA), -60)),
    nobody("unsigned token", await forged(adminA, "none")),
    nobody("token of another key", await forged(adminA, "HS256")),
    nobody("revoked API key", (await createApiKey({ orgId: a, permissions: [...everything], revoked: true })).key),
    nobody(
      "expired API key",
      (await createApiKey({ orgId: a, permissions: [...everything], expiresAt: new Date(Date.now() - 1000) })).key,
    ),
    nobody("disabled person", await bearer(await createUser({ orgId: a, role: "org_admin", disabled: true }))),
    await person(adminA, [a]),
    await person(await createUser({ orgId: a, role: "org_technician" }), [a]),
    await person(await createUser({ orgId: a, role: "org_viewer" }), [a]),
    await person(await createUser({ orgId: b, role: "org_admin" }), [b]),
    await person(await createUser({ partnerId: partner.id, role: "partner_admin" }), reach),
    await person(await createUser({ partnerId: partner.id, role: "partner_technician" }), reach),
    await narrowed("partner_admin", { partnerId: partner.id, orgId: a }),
    await narrowed("partner_technician", { partnerId: partner.id, orgId: a }),
    keyed("reading key of A", await createApiKey({ orgId: a, permissions: ["audit:read", "devices:read"] }), [a]),
    keyed(
      "full key of the partner",
      await createApiKey({ partnerId: partner.id, permissions: [...everything] }),
      reach,
    ),
    agent("agent of A", deviceA),
    agent("agent of B", deviceB),
  ];
  return { partnerId: partner.id, a, b, elsewhere, elsewherePartnerId, deviceA, deviceB, deviceElsewhere, principals };
}

export type Target = "own" | "foreign" | "missing";

/** An organization that the principal must not see: another partner's, or outside its reach. */
export const foreignTo = (world: World, { narrowed }: Principal): string => (narrowed ? world.b : world.elsewhere);

/** An organization relative to the principal: its own, invisible, or missing. */
export function orgFor(world: World, principal: Principal, target: Target): string {
  if (target === "missing") return randomUUID();
  if (target === "foreign") return foreignTo(world, principal);
  return principal.reach[0] ?? world.a;
}

/** Whether this kind of caller may use a route with this kind of authentication at all. */
export function mayKnock(principal: Principal, auth: RouteAuth): boolean {
  if (auth === "none") return true;
  return auth === "agent" ? principal.kind === "agent" : principal.kind === "person" || principal.kind === "key";
}

/** An entry of an organization. */
export const entryIn = async (orgId: string) => (await appendEvents([{ orgId }]))[0] as { id: string };
export const itself = async (id: string) => ({ id });
export const deviceIn = (orgId: string) => createDevice({ orgId });
export const userIn = (orgId: string) => createUser({ orgId, role: "org_viewer" });
export const keyIn = (orgId: string) => createApiKey({ orgId });
export const enrollmentKeyIn = (orgId: string) => createEnrollmentKey({ orgId });

/** Id and owners of a new row. */
const owned = async (orgId: string) => ({ id: randomUUID(), orgId, partnerId: await partnerOf(orgId) });

/** A custom field of one organization. */
export async function fieldIn(orgId: string): Promise<{ id: string }> {
  const row = await owned(orgId);
  const field = { name: `Probe ${row.id}`, fieldKey: `k_${row.id.replaceAll("-", "")}`, type: "text" as const };
  await asSystem((tx) => tx.insert(customFieldDefinitions).values({ ...row, ...field }));
  return row;
}

/** A view that is shared with an organization. */
export async function savedViewIn(orgId: string): Promise<{ id: string }> {
  const { id: createdBy, partnerId } = await userIn(orgId);
  const view = { id: randomUUID(), orgId, partnerId, createdBy, shared: true };
  await asSystem((tx) =>
    tx.insert(auditSavedViews).values({ ...view, createdByName: "Probe", name: `Probe ${view.id}`, query: "" }),
  );
  return view;
}

/** A short link to the proof of some entry of an organization. */
export async function proofLinkIn(orgId: string): Promise<{ id: string }> {
  const link = { id: randomUUID(), orgId, entryId: randomUUID(), chainSeq: 1, createdBy: randomUUID() };
  const tokenHash = hashSecret(link.id);
  const expiresAt = new Date(Date.now() + 86_400_000);
  await asSystem((tx) =>
    tx.insert(auditSharedProofs).values({ ...link, tokenHash, createdByName: "Probe", expiresAt }),
  );
  return link;
}

/** A webhook endpoint of an organization, which names an address without a listener. */
export async function webhookIn(orgId: string): Promise<{ id: string }> {
  const row = { ...(await owned(orgId)), url: "https://hooks.example.test/trailmark" };
  const hook = { name: `Probe ${row.id}`, kinds: ["chain.broken"], secret: "unused" };
  await asSystem((tx) => tx.insert(webhookEndpoints).values({ ...row, ...hook }));
  return row;
}

/** A stream of an organization, which names an address without a listener. */
export async function streamIn(orgId: string): Promise<{ id: string }> {
  const row = await owned(orgId);
  const config = { url: "https://siem.example.test/in", body: "ndjson", gzip: true, headers: {} };
  const secret = sealSecret("streams", row.id, newSigningSecret());
  const settings = { kind: "https", config, format: "native", secret, state: "draft" } as const;
  await asSystem((tx) =>
    tx.insert(dataStreams).values({ ...row, ...settings, name: `Probe ${row.id}`, stateSince: new Date() }),
  );
  return row;
}

/** Text of a detection rule. */
export const PROBE_RULE =
  "title: Probe\nlogsource: {product: trailmark}\ndetection: {s: {action: device.delete}, condition: s}\n";

/** A detection rule of an organization, turned off. */
export async function ruleIn(orgId: string): Promise<{ id: string }> {
  const row = await owned(orgId);
  const text = { title: "Probe", level: "medium" as const, yaml: PROBE_RULE, digest: "probe" };
  const rule = { ...row, ...text, enabled: false, dedupeSeconds: 0, createdByName: "Probe" };
  await asSystem((tx) => tx.insert(detectionRules).values(rule));
  return row;
}

/** An alert of a rule made for this. */
export async function alertIn(orgId: string): Promise<{ id: string }> {
  const id = randomUUID();
  const { id: ruleId } = await ruleIn(orgId);
  const at = new Date();
  const told = { title: "Probe", description: "", level: "medium" as const, ruleDigest: "probe", groupDigest: "" };
  const of = { actorId: randomUUID(), actorName: "Probe", entries: [1], raisedEntries: 1, entryCount: 1, groupKey: [] };
  const when = { firstAt: at, lastAt: at, raisedAt: at, late: false, notifies: false, recorded: true };
  await asSystem((tx) => tx.insert(detectionAlerts).values({ id, orgId, ruleId, ...told, ...of, ...when }));
  return { id };
}

/** An exception to a rule made for this. */
export async function exceptionIn(orgId: string): Promise<{ id: string }> {
  const row = await owned(orgId);
  const { id: ruleId } = await ruleIn(orgId);
  await asSystem((tx) =>
    tx.insert(detectionExceptions).values({ ...row, ruleId, fields: {}, reason: "Probe", createdByName: "Probe" }),
  );
  return row;
}

/** A message that was given up, to an endpoint made for this. */
export async function deliveryIn(orgId: string): Promise<{ id: string }> {
  const { id: endpointId } = await webhookIn(orgId);
  const row = { id: randomUUID(), orgId, endpointId, type: "notification.test", subject: "Probe", body: "{}" };
  await asSystem((tx) => tx.insert(notificationDeliveries).values({ ...row, status: "failed" }));
  return row;
}

async function actorOf(token: string | null): Promise<{ id: string; type: "user" | "api_key" }> {
  const request = new Request("http://127.0.0.1:3000/", { headers: { authorization: `Bearer ${token}` } });
  const caller = await authenticate(request, { auth: "user" }).catch(() => null);
  const type = caller?.actor.type === "api_key" ? "api_key" : "user";
  return { type, id: caller && "id" in caller.actor ? caller.actor.id : randomUUID() };
}

/** A failed export of an organization's entries, requested by a caller. */
export async function exportOf(orgId: string, token: string | null): Promise<{ id: string }> {
  const id = randomUUID();
  const actor = await actorOf(token);
  await asSystem((tx) =>
    tx.insert(auditExports).values({
      id,
      orgId,
      orgIds: [orgId],
      createdBy: actor.id,
      createdByType: actor.type,
      filter: {},
      format: "csv",
      gzip: false,
      fileName: "probe.csv",
      status: "failed",
      error: "Probe",
      expiresAt: new Date(Date.now() + 86_400_000),
    }),
  );
  return { id };
}

/** A draft import of an organization's partner. */
export async function importOf(orgId: string): Promise<{ id: string }> {
  const { id, partnerId } = await owned(orgId);
  const draft = { orgIds: [orgId], createdBy: randomUUID(), createdByName: "Probe", source: "generic-csv" };
  await asSystem((tx) => tx.insert(customFieldImports).values({ id, partnerId, ...draft }));
  return { id };
}

/** An archived object with unusable settings, so that reading it is a conflict. */
export async function archivedIn(orgId: string): Promise<{ id: string }> {
  const id = randomUUID();
  const { id: streamId } = await streamIn(orgId);
  const at = new Date();
  await asSystem(async (tx) => {
    await tx.update(dataStreams).set({ kind: "s3", config: {} }).where(eq(dataStreams.id, streamId));
    const range = { firstSeq: 1, lastSeq: 1, firstAt: at, lastAt: at, rows: 1, bytes: 1 };
    await tx.insert(archiveObjects).values({ id, streamId, orgId, ...range, key: `probe/${id}`, digest: "probe" });
  });
  return { id };
}

/** A restored range without entries. */
export async function restoredIn(orgId: string): Promise<{ id: string }> {
  const id = randomUUID();
  const range = { firstSeq: 1, lastSeq: 1, expiresAt: new Date(Date.now() + 3_600_000) };
  await asSystem((tx) => tx.insert(archiveRestorations).values({ id, orgId, ...range }));
  return { id };
}

/** Things of the API by the part of its paths before their id: how one is created in an organization. */
export const THINGS: Record<string, (orgId: string) => Promise<{ id: string }>> = {
  "api-keys": keyIn,
  "archive/objects": archivedIn,
  "archive/restore": restoredIn,
  "audit-logs/logs": entryIn,
  "custom-fields": fieldIn,
  "custom-fields/imports": importOf,
  deliveries: deliveryIn,
  "detections/alerts": alertIn,
  "detections/exceptions": exceptionIn,
  "detections/rules": ruleIn,
  devices: deviceIn,
  "enrollment-keys": enrollmentKeyIn,
  "orgs/organizations": itself,
  streams: streamIn,
  "system-tools/devices": deviceIn,
  users: userIn,
  webhooks: webhookIn,
};
