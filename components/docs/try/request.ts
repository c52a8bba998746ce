import type { Operation, Parameter } from "@/components/docs/openapi";

/** The form's values: parameters by "location name", and the body's text. */
export type FormValues = { values: Readonly<Record<string, string>>; body: string; file: File | null };
/** The arguments of fetch. */
export type TryRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | File | null;
};
export const nameOf = ({ in: location, name }: Parameter): string => `${location} ${name}`;

/** The form's initial values: the example body, and no filters. */
export const initialValues = ({ body }: Operation): FormValues => ({
  values: {},
  body: body?.type === "application/json" ? JSON.stringify(body.example ?? {}, null, 2) : "",
  file: null,
});

/** Validation errors by field; empty when the request can be sent. */
export function faultsOf(operation: Operation, { values, body, file }: FormValues): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const parameter of operation.parameters)
    if (parameter.required && !values[nameOf(parameter)]?.trim()) faults[nameOf(parameter)] = "Required";
  if (operation.body && operation.body.type !== "application/json" && !file) faults.body = "Choose a file";
  if (operation.body?.type === "application/json" && (body.trim() || operation.body.required))
    try {
      JSON.parse(body);
    } catch {
      faults.body = "Not valid JSON";
    }
  return faults;
}

function urlOf(operation: Operation, values: FormValues["values"], base: string): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(values[`path ${name}`]?.trim() ?? ""),
  );
  const query = new URLSearchParams();
  for (const parameter of operation.parameters) {
    const value = values[nameOf(parameter)];
    if (parameter.in === "query" && value) query.append(parameter.name, value);
  }
  return `${base}${path}${query.size > 0 ? `?${query}` : ""}`;
}

/** Builds the request. The credential is sent as a bearer token, which works for tokens and API keys alike. */
export function toRequest(
  operation: Operation,
  filled: FormValues,
  { base, credential }: { base: string; credential: string },
): TryRequest {
  const headers: Record<string, string> = {};
  const bearer = credential.trim();
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  for (const parameter of operation.parameters) {
    const value = filled.values[nameOf(parameter)];
    if (parameter.in === "header" && value) headers[parameter.name] = value;
  }
  const isJson = operation.body?.type === "application/json";
  const body = !operation.body ? null : isJson ? filled.body.trim() || null : filled.file;
  if (body !== null && operation.body) headers["Content-Type"] = operation.body.type;
  return { method: operation.method, url: urlOf(operation, filled.values, base), headers, body };
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a curl command that reads the credential from the environment and never shows it. */
export function curlOf({ method, url, headers, body }: TryRequest): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers))
    lines.push(
      name === "Authorization" ? '-H "Authorization: Bearer $TRAILMARK_KEY"' : `-H ${quoted(`${name}: ${value}`)}`,
    );
  if (typeof body === "string") lines.push(`-d ${quoted(body)}`);
  else if (body) lines.push(`--data-binary ${quoted(`@${body.name}`)}`);
  return lines.join(" \\\n  ");
}
