import { z } from "zod";
import { hostname, os, osVersion } from "@/server/devices/schema";
import { columnText, guid, isoTime } from "@/server/ground/wire";

/** Heartbeat interval; shorter than devices' ONLINE_WINDOW_SECONDS, so that one may be late. */
export const HEARTBEAT_INTERVAL_SECONDS = 60;
const MAX_METRICS_CHARACTERS = 16_384;

const agentId = z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/, "must be 1 to 64 of A-Z a-z 0-9 . _ : -");
export const agentVersion = columnText(50);

/** Body of POST /agents/enroll. The source pair identifies the device in another RMM product. */
export const enrollInput = z
  .object({
    enrollmentKey: z.string().min(1).max(200),
    hostname,
    os,
    osVersion: osVersion.nullish(),
    agentVersion: agentVersion.nullish(),
    agentId: agentId.optional(),
    /** Current token of a known agentId. */
    agentToken: z.string().max(200).optional(),
    sourceSystem: columnText(100).min(1).nullish(),
    sourceDeviceId: columnText(255).min(1).nullish(),
  })
  .superRefine((body, context) => {
    if (!body.sourceSystem === !body.sourceDeviceId) return;
    const path = body.sourceSystem ? "sourceDeviceId" : "sourceSystem";
    context.addIssue({ code: "custom", path: [path], message: "is needed beside its counterpart" });
  });
export type EnrollInput = z.output<typeof enrollInput>;

/** The only answer with the token, of which the server keeps a hash. */
export const enrollOutput = z.strictObject({
  agentId: z.string(),
  deviceId: guid,
  orgId: guid,
  token: z.string(),
  isSourceIdTaken: z.boolean(),
});
export type EnrollOutput = z.output<typeof enrollOutput>;

/** Time until which the agentId may be enrolled without its token. */
export const releaseOutput = z.strictObject({ agentId: z.string(), releasedUntil: isoTime });

/** Body of POST /agents/:id/heartbeat. */
export const heartbeatInput = z.object({
  id: z.string(),
  /** New hostname, if the machine was renamed. */
  hostname: hostname.nullish(),
  agentVersion: agentVersion.nullish(),
  status: columnText(50).nullish(),
  metrics: z
    .record(z.string(), z.unknown())
    .refine(
      (metrics) => JSON.stringify(metrics).length <= MAX_METRICS_CHARACTERS,
      `is longer than ${MAX_METRICS_CHARACTERS} characters`,
    )
    .nullish(),
});

export const heartbeatOutput = z.strictObject({ ok: z.literal(true), intervalSeconds: z.int() });
export type HeartbeatOutput = z.output<typeof heartbeatOutput>;
