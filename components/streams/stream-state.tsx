import { count, duration } from "@/components/format/amounts";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import type { Stream } from "@/server/notify/streams/schema";
import { STREAM_KINDS } from "@/server/notify/streams/vocabulary";

const STATE: Record<Stream["state"], { label: string; tone: Tone }> = {
  draft: { label: "Draft", tone: "off" },
  active: { label: "Active", tone: "good" },
  paused: { label: "Paused", tone: "off" },
  failing: { label: "Failing", tone: "warn" },
  blocked: { label: "Blocked", tone: "bad" },
  disabled: { label: "Disabled", tone: "bad" },
};

/** A stream's state as color, icon and word. */
export const StreamState = ({ state }: Pick<Stream, "state">) => (
  <StateTag tone={STATE[state].tone}>{STATE[state].label}</StateTag>
);

/** "2 min behind, 140 entries" */
export function lagText({ state, lag }: Pick<Stream, "state" | "lag">): string {
  if (state === "draft") return "Not started";
  if (lag.entries === 0) return "Up to date";
  return `${duration(lag.seconds)} behind, ${count(lag.entries)} ${lag.entries === 1 ? "entry" : "entries"}`;
}

/** "Splunk, splunk.example.com", "Archive to S3, bucket" */
export const destinationText = ({ kind, target, config }: Pick<Stream, "kind" | "target" | "config">): string =>
  `${config?.archive === true ? "Archive to S3" : STREAM_KINDS[kind].label}, ${target}`;
