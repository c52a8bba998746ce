import { keysOf } from "@/server/ground/records";
import { DATADOG_SITES, type StreamKind } from "@/server/notify/streams/vocabulary";

/** A destination's setting as a form field; `within` is the settings object that contains it. */
export type Field = {
  name: string;
  within?: string;
  label: string;
  hint?: string;
  placeholder?: string;
  isRequired?: true;
  /** Shown under "More settings". */
  isMinor?: true;
} & (
  | { input: "text" | "number" | "pem" | "list" | "headers" }
  /** The destination's secret, which is not a setting: it is never shown again. */
  | { input: "secret" | "key" }
  | { input: "switch"; initially: boolean }
  | { input: "select"; options: readonly { value: string; label: string }[] }
);
/** Value of a field; an empty text means the default. */
export type Values = Record<string, string | number | boolean>;

const options = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));
const TEMPLATE = "{org.slug} and {org.id} stand for the organization of an entry";

const secret = (label: string, hint?: string): Field => ({
  ...{ name: "secret", label, input: "secret", isRequired: true },
  ...(hint && { hint }),
});
const url = (hint: string, placeholder: string): Field => ({
  ...{ name: "url", label: "Address", input: "text", isRequired: true, hint, placeholder },
});
const tls = (port: string): Field[] => [
  { name: "host", label: "Host", input: "text", isRequired: true, placeholder: "siem.example.com" },
  { name: "port", label: "Port", input: "number", placeholder: port },
  {
    name: "ca",
    label: "Certificate authority",
    input: "pem",
    hint: "PEM; only if the receiver's certificate is from one of your own",
    isMinor: true,
  },
  {
    name: "certificate",
    label: "Client certificate",
    input: "pem",
    hint: "PEM; only if the receiver asks for one",
    isMinor: true,
  },
  {
    name: "secret",
    label: "Private key of the client certificate",
    input: "key",
    hint: "PEM; only with a client certificate",
    isMinor: true,
  },
];

/** Settings filled in by people, by kind of destination. */
export const FIELDS: Record<StreamKind, readonly Field[]> = {
  https: [
    url("Batches are posted to it, signed as Standard Webhooks specifies", "https://siem.example.com/ingest"),
    {
      name: "headers",
      label: "Headers",
      input: "headers",
      hint: "One a line, such as X-Source: trailmark",
      isMinor: true,
    },
    {
      name: "body",
      label: "Body",
      input: "select",
      options: options({ ndjson: "One line for each entry (NDJSON)", array: "One JSON array" }),
      isMinor: true,
    },
    { name: "gzip", label: "Compress with gzip", input: "switch", initially: true, isMinor: true },
    {
      name: "secret",
      label: "Authorization header",
      input: "secret",
      hint: "Its value, such as Bearer f81d4fae; only if the receiver asks for it",
    },
  ],
  splunk_hec: [
    url("Of the HTTP Event Collector", "https://splunk.example.com:8088"),
    secret("Token"),
    { name: "index", label: "Index", input: "text", hint: TEMPLATE, placeholder: "The token's own" },
    {
      name: "acknowledge",
      label: "Wait for indexer acknowledgement",
      input: "switch",
      initially: false,
      hint: "Proves that Splunk stored the entries; the token must have it turned on",
    },
    { name: "source", label: "Source", input: "text", placeholder: "trailmark", isMinor: true },
    { name: "sourcetype", label: "Source type", input: "text", placeholder: "trailmark:audit", isMinor: true },
  ],
  datadog: [
    {
      name: "site",
      label: "Site",
      input: "select",
      options: DATADOG_SITES.map((value) => ({ value, label: value })),
    },
    secret("API key"),
    { name: "service", label: "Service", input: "text", placeholder: "trailmark", isMinor: true },
    { name: "tags", label: "Tags", input: "list", hint: "Separated by commas, such as env:prod", isMinor: true },
    { name: "url", label: "Other address", input: "text", hint: "A proxy in place of the site", isMinor: true },
  ],
  elasticsearch: [
    url("Of the cluster; batches go to its _bulk endpoint", "https://elastic.example.com:9200"),
    {
      name: "index",
      label: "Index or data stream",
      input: "text",
      hint: TEMPLATE,
      placeholder: "trailmark-audit",
    },
    {
      name: "auth",
      label: "Sign-in",
      input: "select",
      options: options({ api_key: "API key", basic: "User and password" }),
    },
    secret("API key or password", "The encoded API key, or user:password"),
  ],
  syslog_tls: tls("6514"),
  relp: [...tls("2514"), { name: "tls", label: "Use TLS", input: "switch", initially: true, isMinor: true }],
  s3: [
    { name: "bucket", label: "Bucket", input: "text", isRequired: true },
    { name: "region", label: "Region", input: "text", isRequired: true, placeholder: "eu-central-1" },
    { name: "accessKeyId", label: "Access key ID", input: "text", isRequired: true },
    secret("Secret access key"),
    {
      name: "mode",
      within: "lock",
      label: "Object lock",
      input: "select",
      hint: "The store refuses to delete what is locked; the bucket must have it turned on",
      options: options({ "": "None", governance: "Governance", compliance: "Compliance" }),
    },
    { name: "days", within: "lock", label: "Days of the lock", input: "number", placeholder: "None" },
    {
      name: "endpoint",
      label: "Endpoint",
      input: "text",
      hint: "Of a store other than AWS",
      placeholder: "https://minio.example.com",
      isMinor: true,
    },
    { name: "prefix", label: "Prefix", input: "text", hint: TEMPLATE, placeholder: "trailmark", isMinor: true },
  ],
};

/** Choices for a new stream: kinds of destination, and the archive, a use of S3. */
export const CHOICES = {
  https: { kind: "https", label: "HTTPS", text: "Any endpoint of yours, by signed POST" },
  archive: {
    kind: "s3",
    label: "Archive to S3",
    text: "Every entry as evidence bundles, kept before retention removes it",
  },
  splunk: { kind: "splunk_hec", label: "Splunk", text: "HTTP Event Collector" },
  datadog: { kind: "datadog", label: "Datadog", text: "Log intake" },
  elasticsearch: { kind: "elasticsearch", label: "Elasticsearch", text: "Elasticsearch and OpenSearch" },
  syslog: { kind: "syslog_tls", label: "Syslog", text: "RFC 5424 over TLS, without acknowledgement" },
  relp: { kind: "relp", label: "RELP", text: "rsyslog, with acknowledgement" },
  s3: { kind: "s3", label: "S3", text: "Objects of lines, every five minutes" },
} as const satisfies Record<string, { kind: StreamKind; label: string; text: string }>;
export type Choice = keyof typeof CHOICES;
export const CHOICE_NAMES = keysOf(CHOICES);

type Settings = { kind: StreamKind; config: Record<string, unknown> | null };

/** Choice with which the stream was set up. */
export const choiceOf = ({ kind, config }: Settings): Choice =>
  config?.archive === true
    ? "archive"
    : (CHOICE_NAMES.find((name) => name !== "archive" && CHOICES[name].kind === kind) ?? "https");

export const isSecret = ({ input }: Field): boolean => input === "secret" || input === "key";

const initialOf = (field: Field): string | boolean => {
  if (field.input === "switch") return field.initially;
  return field.input === "select" ? (field.options[0]?.value ?? "") : "";
};

const inObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {};

function shownAs({ input }: Field, value: unknown): string | number | boolean {
  if (input === "list") return Array.isArray(value) ? value.join(", ") : "";
  if (input === "headers")
    return Object.entries(inObject(value))
      .map(([name, text]) => `${name}: ${String(text)}`)
      .join("\n");
  return typeof value === "boolean" || typeof value === "number" ? value : String(value);
}

/** Field values for a destination's settings, or for a new one. */
export function toValues(kind: StreamKind, config: Record<string, unknown> = {}): Values {
  const valueFor = (field: Field) => {
    const value = (field.within ? inObject(config[field.within]) : config)[field.name];
    return value === undefined || value === null ? initialOf(field) : shownAs(field, value);
  };
  return Object.fromEntries(FIELDS[kind].map((field) => [field.name, valueFor(field)]));
}

/** Parses a header line; an invalid one stays whole, for the server to refuse. */
const headerOf = (line: string): [string, string] => {
  const at = line.indexOf(":");
  return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
};

function settingOf({ input }: Field, value: string | number | boolean): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (text === "") return undefined;
  if (input === "list") return text.split(/\s*,\s*/).filter(Boolean);
  if (input !== "headers") return text;
  return Object.fromEntries(text.split("\n").flatMap((line) => (line.trim() ? [headerOf(line)] : [])));
}

/** Settings of a destination from its fields. */
export function toConfig(choice: Choice, values: Values): Record<string, unknown> {
  const { kind } = CHOICES[choice];
  const config: Record<string, unknown> = choice === "archive" ? { archive: true } : {};
  for (const field of FIELDS[kind]) {
    if (isSecret(field)) continue;
    const setting = settingOf(field, values[field.name] ?? "");
    if (setting === undefined) continue;
    if (field.within) config[field.within] = { ...inObject(config[field.within]), [field.name]: setting };
    else config[field.name] = setting;
  }
  return config;
}
