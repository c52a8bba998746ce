import { expect, type Page } from "playwright/test";

/** Pages whose parts come one after the other; ORG and DEVICE stand for ids. */
export const STEADY = [
  "/",
  "/integrity?orgId=ORG",
  "/reports",
  "/devices",
  "/devices/DEVICE",
  "/scripts",
  "/settings/users",
  "/settings/api-keys",
  "/settings/enrollment",
  "/settings/custom-fields?orgId=ORG",
  "/settings/retention?orgId=ORG",
];

const MAX_SHIFT = 0.02;
const QUIET_MS = 700;

/** How far the page has moved by itself, once it has been quiet for a while. */
const shiftOf = (page: Page) =>
  page.evaluate(
    (quietMs) =>
      new Promise<number>((done) => {
        let total = 0;
        const end = () => done(total);
        let timer = setTimeout(end, quietMs);
        const again = () => {
          clearTimeout(timer);
          timer = setTimeout(end, quietMs);
        };
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
            if (!entry.hadRecentInput) total += entry.value;
          again();
        }).observe({ type: "layout-shift", buffered: true });
        new PerformanceObserver(again).observe({ type: "resource" });
      }),
    QUIET_MS,
  );

/** The page hardly moves by itself while it loads. */
export async function expectSteady(page: Page): Promise<void> {
  expect(await shiftOf(page)).toBeLessThan(MAX_SHIFT);
}
