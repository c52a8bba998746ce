import type { StreamKind } from "@/server/notify/streams/vocabulary";
import { datadog } from "./datadog";
import type { Destination } from "./destination";
import { elasticsearch } from "./elasticsearch";
import { https } from "./https";
import { relp } from "./relp";
import { s3 } from "./s3";
import { splunkHec } from "./splunk-hec";
import { syslogTls } from "./syslog-tls";

// biome-ignore lint/suspicious/noExplicitAny: destinations of different settings stand in one list
export type AnyDestination = Destination<any>;

/** Everything that entries can be streamed to. */
export const DESTINATIONS: Record<StreamKind, AnyDestination> = {
  https,
  splunk_hec: splunkHec,
  datadog,
  elasticsearch,
  syslog_tls: syslogTls,
  relp,
  s3,
};
