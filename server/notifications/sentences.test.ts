import { expect, test } from "vitest";
import { raisedSentence, type Said } from "./sentences";

const said = (over: Pick<Said, "kind" | "detail">): string =>
  raisedSentence({ organization: "Contoso", resolution: {}, since: new Date(0), ...over });

test("a disabled webhook may have answered 410 as well as failed for days", () => {
  expect(said({ kind: "webhook.disabled", detail: { names: ["Desk"] } })).toBe(
    "The webhook endpoint Desk of Contoso was disabled by this server: it answered 410 Gone, or nothing could be delivered to it for 5 days.",
  );
  expect(said({ kind: "webhook.disabled", detail: { names: ["Desk", "Pager"] } })).toBe(
    "The webhook endpoints Desk, Pager of Contoso were disabled by this server: each answered 410 Gone, or nothing could be delivered to it for 5 days.",
  );
});
