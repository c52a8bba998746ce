import type { Page, Route } from "playwright/test";

const MATCH = "**/api/trpc/**";

/** The procedures that a request asks, a batch for several. */
const asked = (route: Route): string[] =>
  new URL(route.request().url()).pathname.replace("/api/trpc/", "").split(",").map(decodeURIComponent);

type Fault = { code: string; detail: string; status?: number };
export const REQUEST_ID = "req_of_this_test";
const BROKEN: Fault = { code: "internal", detail: "Something went wrong on our side." };

/** Lets a procedure fail as the server would tell it, until the returned function is called. */
export async function failing(page: Page, procedure: string, fault: Fault = BROKEN): Promise<() => Promise<void>> {
  const { code, detail, status = 500 } = fault;
  const problem = { type: "about:blank", title: detail, status, detail, code, requestId: REQUEST_ID };
  const error = { error: { message: detail, code: -32603, data: { code, httpStatus: status, problem } } };
  const fail = async (route: Route) => {
    const names = asked(route);
    if (!names.includes(procedure)) return route.fallback();
    const isBatch = new URL(route.request().url()).searchParams.has("batch");
    await route.fulfill({ status, json: isBatch ? names.map(() => error) : error });
  };
  await page.route(MATCH, fail);
  return () => page.unroute(MATCH, fail);
}

/** Holds requests back until the returned function is called: those of an address, or some of them. */
export async function heldAt(
  page: Page,
  address: string | ((url: URL) => boolean),
  isHeld: (route: Route) => boolean = () => true,
): Promise<() => void> {
  let release = () => {};
  const gate = new Promise<void>((done) => {
    release = done;
  });
  await page.route(address, async (route) => {
    if (isHeld(route)) await gate;
    await route.fallback();
  });
  return release;
}

/** Holds a procedure's answer back until the returned function is called. */
export const held = (page: Page, procedure: string): Promise<() => void> =>
  heldAt(page, MATCH, (route) => asked(route).includes(procedure));

/** Holds scripts back that a page has not loaded yet. */
export const heldScripts = (page: Page): Promise<() => void> => heldAt(page, "**/_next/static/**");

/** Changes what a procedure answers. */
export async function answering(page: Page, procedure: string, change: object): Promise<void> {
  await page.route(MATCH, async (route) => {
    const names = asked(route);
    if (!names.includes(procedure)) return route.fallback();
    const answer = await route.fetch();
    const body = await answer.json();
    const of = Array.isArray(body) ? body[names.indexOf(procedure)] : body;
    // Refusals are reported as they are.
    if (of.result) Object.assign(of.result.data, change);
    await route.fulfill({ response: answer, json: body });
  });
}
