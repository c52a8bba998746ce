import { describe, expect, test } from "vitest";
import { rowsOf } from "./describe";
import { findOperations, type Operation, readDocument } from "./openapi";
import { sampleOf } from "./samples";

const document = readDocument({
  info: { title: "Trailmark API", version: "1" },
  servers: [{ url: "https://trailmark.example/api/v1" }],
  paths: {
    "/devices/{deviceId}/notes": {
      post: {
        operationId: "postNote",
        summary: "Write a note",
        tags: ["devices"],
        security: [{ accessToken: [] }],
        parameters: [{ name: "deviceId", in: "path", required: true, schema: { type: "string" } }],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              example: { text: "Replaced the fan" },
              schema: {
                type: "object",
                properties: {
                  text: { type: "string", maxLength: 100, description: "What was done" },
                  tags: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
                },
                required: ["text"],
              },
            },
          },
        },
        responses: { "201": { description: "Success" } },
      },
    },
    "/audit-logs/evidence": {
      get: {
        operationId: "getEvidence",
        summary: "A bundle",
        tags: ["audit-logs"],
        security: [],
        parameters: [],
        responses: { "200": { description: "Success", content: { "application/x-ndjson": { schema: {} } } } },
      },
    },
  },
});
const [write, evidence] = document.operations;
if (!write || !evidence) throw new Error("The document has two operations");
const sample = (operation: Operation, language: "curl" | "powershell" | "go") =>
  sampleOf(operation, { language, base: document.base });

describe("samples", () => {
  test("cURL includes method, URL, credential and body", () => {
    expect(sample(write, "curl")).toBe(
      [
        'curl -X POST "https://trailmark.example/api/v1/devices/DEVICE_ID/notes"',
        '-H "Authorization: Bearer $TRAILMARK_KEY"',
        '-H "Content-Type: application/json"',
        '-d \'{\n  "text": "Replaced the fan"\n}\'',
      ].join(" \\\n  "),
    );
  });

  test("a public operation needs no credential, and PowerShell writes a stream to a file", () => {
    expect(sample(evidence, "powershell")).toBe(
      'Invoke-RestMethod -Method Get -Uri "https://trailmark.example/api/v1/audit-logs/evidence" `\n  -OutFile answer.out',
    );
  });

  test("Go imports only what it uses", () => {
    expect(sample(evidence, "go")).not.toContain('"strings"');
    expect(sample(write, "go")).toContain("strings.NewReader(body)");
  });
});

test("names nested members by their path", () => {
  const rows = rowsOf(write.body?.schema ?? {}, document.schemas);
  expect(rows.map((row) => row.name)).toEqual(["text", "tags", "tags[].name"]);
  expect(rows[0]).toEqual({
    name: "text",
    type: "string",
    rule: "at most 100 characters",
    meaning: "What was done",
    isRequired: true,
  });
});

test("every word of a search must match", () => {
  expect(findOperations(document.operations, "post note").map((o) => o.operationId)).toEqual(["postNote"]);
  expect(findOperations(document.operations, "post bundle")).toEqual([]);
});
