import { createServer, type RequestListener } from "node:http";
import { expect, it } from "vitest";
import { noteAway, traced } from "@/db/traced";
import { listen } from "@/testing/port-of";
import { orAwayPage } from "./unavailable-page";

const away = () => Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" }));
const broken = () => Promise.reject(new Error("broken"));

/** Serves a page as Next does: what it cannot render it answers with 500 and a document without content, in pieces. */
async function ask(work: () => Promise<unknown>, method = "GET"): Promise<Response> {
  const listener: RequestListener = (incoming, outgoing) =>
    traced.run({}, () => {
      incoming.headers["x-nonce"] = "bm9uY2U=";
      outgoing.setHeader("X-Frame-Options", "DENY");
      return orAwayPage(incoming, outgoing, async () => {
        await noteAway(work).catch(() => {
          outgoing.statusCode = 500;
        });
        outgoing.setHeader("Content-Type", "text/html");
        outgoing.setHeader("X-Powered-By", "a framework");
        outgoing.write("<html id='__next_error__'>");
        outgoing.flushHeaders();
        outgoing.end("</html>");
      });
    });
  const server = createServer(listener);
  const answer = await fetch(`http://127.0.0.1:${await listen(server)}/devices`, { method });
  const text = await answer.text();
  server.close();
  return new Response(text || null, { status: answer.status, headers: answer.headers });
}

it("returns 503 with Retry-After and a page when the database is unavailable", async () => {
  const answer = await ask(away);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect([answer.headers.get("x-frame-options"), answer.headers.get("x-powered-by")]).toEqual(["DENY", null]);
  const text = await answer.text();
  expect(text).toContain("<h1>The database is away</h1>");
  expect(text).toContain("tries again");
  expect(text).not.toContain("__next_error__");
  expect(text.match(/nonce="bm9uY2U="/g)).toHaveLength(2);
});

it("answers HEAD with 503 and no body", async () => {
  const answer = await ask(away, "HEAD");
  expect([answer.status, await answer.text()]).toEqual([503, ""]);
});

it("leaves other errors and rendered pages to Next", async () => {
  expect([(await ask(broken)).status, await (await ask(broken)).text()]).toEqual([
    500,
    "<html id='__next_error__'></html>",
  ]);
  expect((await ask(() => Promise.resolve())).status).toBe(200);
});
