import { Columns } from "@/e2e/pages/columns";
import { LiveView } from "@/e2e/pages/live";
import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, expectNoSidewaysScroll, PHONE, test } from "@/e2e/support/fixtures";

const DAY_MS = 86_400_000;
/** A minute of yesterday morning, in the tests' zone, UTC. */
const yesterdayAt = (minute: number) =>
  new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS + (5 * 60 + minute) * 60_000).toISOString();

/** An organization with 60 submissions of three agents, two of them in vain, five runs of a script and a denial. */
async function plant(api: Api): Promise<string> {
  const orgId = await api.makeOrganization(`Noise ${crypto.randomUUID().slice(0, 8)}`);
  const jane = { actorType: "user", actorId: crypto.randomUUID(), actorEmail: "jane@noise.example" };
  const submissions = Array.from({ length: 60 }, (_, i) => ({
    actorType: "agent",
    actorId: `agent-${i % 3}`,
    action: "agent.eventlogs.submit",
    resourceType: "device",
    timestamp: yesterdayAt(i),
    ...(i % 30 === 7 && { result: "failure", errorMessage: "Disk full" }),
  }));
  const script = { ...jane, resourceType: "script", resourceName: "Clean up" };
  const runs = Array.from({ length: 5 }, (_, i) => ({
    ...{ ...script, action: "script.execute", timestamp: yesterdayAt(100 + i) },
  }));
  const denial = { ...script, action: "script.delete", result: "denied", timestamp: yesterdayAt(110) };
  await api.write(orgId, [...submissions, ...runs, denial]);
  return orgId;
}

test("telemetry and repeats fold into one line each; failures do not; totals count all", async ({
  viewer,
  page,
  request,
}) => {
  const orgId = await plant(await Api.signIn(request));
  await viewer.open(`?orgId=${orgId}&fold=true`);
  const telemetry = viewer.table.getByRole("button", { name: /Routine telemetry from 3 agents ×58/ });
  await expect(telemetry).toContainText("05:00:00 to 05:59:00");
  await expect(viewer.entries(/tried to submit event logs/)).toHaveCount(2);
  await expect(viewer.entries(/was denied permission to delete script Clean up/)).toBeVisible();
  const repeat = viewer.table.getByRole("button", { name: /executed script Clean up ×5/ });
  await expect(repeat).toContainText("06:40:00 to 06:44:00");
  await expect(page.getByRole("status").filter({ hasText: /entr/ }).first()).toContainText(
    /^6\d entries.* · 58 folded/,
  );
  await expectAccessible(page);
  const narrow = "cols=time,type,event,action,org,resourceType,device,ip,email,seq,result&density=compact";
  await viewer.open(`?orgId=${orgId}&fold=true&${narrow}`);
  await expect(telemetry).toBeVisible();
  await expectAccessible(page);
  await viewer.open(`?orgId=${orgId}&fold=true`);

  await repeat.click();
  await expect(viewer.entries(/executed script Clean up/)).toHaveCount(5);
  await telemetry.focus();
  await page.keyboard.press("Enter");
  await expect(viewer.entries(/submitted event logs/)).toHaveCount(50);
  await viewer.table.getByRole("button", { name: "Show all" }).click();
  await expect(page).toHaveURL(/actions=agent\.eventlogs\.submit/);
  await expect(page.getByRole("status").filter({ hasText: /entr/ }).first()).toContainText("50 of 58 entries");
});

test("a live list recounts telemetry only while its line can change", async ({ viewer, page, request }) => {
  const orgId = await plant(await Api.signIn(request));
  await page.clock.install();
  await viewer.open(`?orgId=${orgId}&fold=true`);
  await new LiveView(page).follow();
  const telemetry = viewer.table.getByRole("button", { name: /Routine telemetry/ });
  await telemetry.hover();
  await page.clock.runFor(100); // The list notices the pointer in its next frame.
  const asked: string[] = [];
  page.on("request", (sent) => sent.url().includes("audit.routine") && asked.push(sent.url()));
  await page.clock.runFor(20_000);
  await expect(telemetry).toBeVisible();
  expect(asked).toEqual([]);
  await page.getByRole("heading", { level: 1, name: "Audit log" }).hover();
  await page.clock.runFor(6_000);
  await expect.poll(() => asked.length).toBeGreaterThan(0);
});

test("a key and the Display menu unfold everything, saved per user", async ({ viewer, page, request }) => {
  const orgId = await plant(await Api.signIn(request));
  await viewer.open(`?orgId=${orgId}`);
  const display = new Columns(page);
  const fold = display.chooser.getByRole("checkbox", { name: "Fold repeats and telemetry" });
  const telemetry = viewer.table.getByRole("button", { name: /Routine telemetry/ });
  await expect(telemetry).toBeVisible();
  // Leaving the page calls off a choice that is still on its way.
  const unfolded = display.saved('"fold":false');
  await page.keyboard.press("j");
  await page.keyboard.press("f");
  await expect(viewer.entries(/submitted event logs/).first()).toBeVisible();
  await expect(telemetry).toHaveCount(0);
  const stays = (isFolded: boolean) =>
    expect
      .poll(async () => {
        await viewer.open(`?orgId=${orgId}`);
        await display.open();
        return fold.isChecked();
      })
      .toBe(isFolded);
  await unfolded;
  await stays(false);
  const folded = display.saved('"fold":true');
  await fold.check();
  await expect(telemetry).toBeVisible();
  // As the tests after this one expect it of the same person.
  await folded;
  await stays(true);
});

test("on a phone controls fit one row, with entries and folds on the first screen", async ({
  viewer,
  page,
  request,
}) => {
  const orgId = await plant(await Api.signIn(request));
  await page.setViewportSize(PHONE);
  await viewer.open(`?orgId=${orgId}&fold=true`);
  const fold = viewer.table.getByRole("button", { name: /Routine telemetry from 3 agents ×58/ });
  await expect(fold).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  const controls = [/^Time range/, "Filters", "Display", "Export"].map((name) =>
    page.getByRole("button", { name, exact: typeof name === "string" }),
  );
  const tops = await Promise.all(controls.map(async (control) => (await control.boundingBox())?.y));
  expect(new Set(tops).size).toBe(1);
  // The list begins on the upper third of the first screen; the chart is one touch away.
  await expect(viewer.histogram).toBeHidden();
  expect((await viewer.entries().first().boundingBox())?.y).toBeLessThan(300);
  await page.getByRole("button", { name: "Over time" }).click();
  await expect(viewer.histogram).toBeVisible();
});
