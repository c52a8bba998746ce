import { keysOf } from "@/server/ground/records";

/** Stream destinations; `destinations/index.ts` has the code. Isomorphic. */
export const STREAM_KINDS = {
  https: { label: "HTTPS" },
  splunk_hec: { label: "Splunk" },
  datadog: { label: "Datadog" },
  elasticsearch: { label: "Elasticsearch and OpenSearch" },
  syslog_tls: { label: "Syslog over TLS" },
  relp: { label: "RELP (rsyslog)" },
  s3: { label: "S3" },
} as const;
export type StreamKind = keyof typeof STREAM_KINDS;
export const STREAM_KIND_NAMES = keysOf(STREAM_KINDS);

/** Entry formats; `formats/index.ts` has the code. */
export const STREAM_FORMATS = {
  native: { label: "Trailmark" },
  ocsf: { label: "OCSF 1.9" },
  ocsf_older: { label: "OCSF 1.9 with the older account classes" },
  ecs: { label: "Elastic Common Schema" },
  cef: { label: "CEF" },
  rfc5424: { label: "Syslog (RFC 5424)" },
} as const;
export type StreamFormat = keyof typeof STREAM_FORMATS;
export const STREAM_FORMAT_NAMES = keysOf(STREAM_FORMATS);

/** Steps of a destination's check, in order. */
export const CHECK_STEPS = ["address", "connect", "tls", "sign_in", "write", "acknowledge"] as const;

export const DATADOG_SITES = [
  "datadoghq.com",
  "us3.datadoghq.com",
  "us5.datadoghq.com",
  "datadoghq.eu",
  "ap1.datadoghq.com",
  "ap2.datadoghq.com",
  "ddog-gov.com",
] as const;

/**
 * draft: never checked. active. paused: by a person. failing: retried automatically. blocked: waits for a person.
 * disabled: by the receiver, or after 30 days without success. None loses an entry: positions stay.
 */
export const STREAM_STATES = ["draft", "active", "paused", "failing", "blocked", "disabled"] as const;
