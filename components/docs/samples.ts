import type { Operation } from "./openapi";

export const LANGUAGES = ["curl", "powershell", "go"] as const;
export type Language = (typeof LANGUAGES)[number];
export const LANGUAGE_LABEL: Record<Language, string> = { curl: "cURL", powershell: "PowerShell", go: "Go" };

type Call = {
  method: string;
  url: string;
  /** The environment variable that holds the credential. */
  token: string | null;
  /** JSON text, or a file of another type. */
  body: { kind: "json"; text: string } | { kind: "file"; type: string } | null;
  isStream: boolean;
};

const placeholder = (name: string) => name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase();

function tokenOf({ security }: Operation): string | null {
  if (security.length === 0) return null;
  return security.some((scheme) => "agentToken" in scheme) ? "TRAILMARK_AGENT_TOKEN" : "TRAILMARK_KEY";
}

function callOf(operation: Operation, base: string): Call {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => placeholder(name));
  const query = new URLSearchParams(
    operation.parameters
      .filter((p) => p.in === "query" && p.required)
      .map((p): [string, string] => [p.name, String(p.example ?? placeholder(p.name))]),
  ).toString();
  const { body } = operation;
  const isJson = body?.type === "application/json";
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1];
  return {
    method: operation.method,
    url: `${base}${path}${query ? `?${query}` : ""}`,
    token: tokenOf(operation),
    body: !body
      ? null
      : isJson
        ? { kind: "json", text: JSON.stringify(body.example ?? {}, null, 2) }
        : { kind: "file", type: body.type },
    isStream: Boolean(success?.content && !("application/json" in success.content)),
  };
}

function curl({ method, url, token, body, isStream }: Call): string {
  const lines = [`curl ${isStream ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}"${url}"`];
  if (token) lines.push(`-H "Authorization: Bearer $${token}"`);
  if (body?.kind === "json")
    lines.push('-H "Content-Type: application/json"', `-d '${body.text.replaceAll("'", "'\\''")}'`);
  if (body?.kind === "file") lines.push(`-H "Content-Type: ${body.type}"`, "--data-binary @FILE");
  return lines.join(" \\\n  ");
}

function powershell({ method, url, token, body, isStream }: Call): string {
  const lines: string[] = [];
  const call = [`Invoke-RestMethod -Method ${method.charAt(0)}${method.slice(1).toLowerCase()} -Uri "${url}"`];
  if (token) {
    lines.push(`$headers = @{ Authorization = "Bearer $env:${token}" }`);
    call.push("-Headers $headers");
  }
  if (body?.kind === "json") {
    lines.push("$body = @'", body.text, "'@");
    call.push('-ContentType "application/json"', "-Body $body");
  }
  if (body?.kind === "file") call.push(`-ContentType "${body.type}"`, "-InFile FILE");
  if (isStream) call.push("-OutFile answer.out");
  return [...lines, call.join(" `\n  ")].join("\n");
}

function go({ method, url, token, body }: Call): string {
  const from = body?.kind === "json" ? "strings.NewReader(body)" : body ? "file" : "nil";
  const imports = ["io", "log", "net/http", "os", ...(body?.kind === "json" ? ["strings"] : [])];
  const before =
    body?.kind === "json"
      ? [`\tbody := \`${body.text}\``]
      : body
        ? ['\tfile, err := os.Open("FILE")', "\tif err != nil {", "\t\tlog.Fatal(err)", "\t}", "\tdefer file.Close()"]
        : [];
  return [
    "package main",
    "",
    "import (",
    ...imports.map((name) => `\t"${name}"`),
    ")",
    "",
    "func main() {",
    ...before,
    `\treq, err := http.NewRequest("${method}", "${url}", ${from})`,
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    ...(token ? [`\treq.Header.Set("Authorization", "Bearer "+os.Getenv("${token}"))`] : []),
    ...(body ? [`\treq.Header.Set("Content-Type", "${body.kind === "json" ? "application/json" : body.type}")`] : []),
    "\tres, err := http.DefaultClient.Do(req)",
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    "\tdefer res.Body.Close()",
    "\tlog.Println(res.Status)",
    "\tio.Copy(os.Stdout, res.Body)",
    "}",
  ].join("\n");
}

const WRITERS: Record<Language, (call: Call) => string> = { curl, powershell, go };

/** A runnable program that calls the operation; placeholders are in capitals. */
export const sampleOf = (operation: Operation, { language, base }: { language: Language; base: string }): string =>
  WRITERS[language](callOf(operation, base));
