import { expect, type Page } from "@playwright/test";

/** What stands around every page: header, switcher, badge, navigation. */
export class Frame {
  constructor(readonly page: Page) {}

  /** Narrows every page to one organization by the switcher in the header. */
  async switchTo(name: string) {
    const dialog = this.page.getByRole("dialog", { name: "Organization" });
    // The page is there before its scripts are: a click that comes too early opens nothing.
    await expect(async () => {
      if (!(await dialog.isVisible())) await this.page.getByRole("button", { name: /^Organization:/ }).click();
      await expect(dialog).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await dialog.getByRole("button", { name, exact: true }).click();
    await expect(dialog).toHaveCount(0);
  }

  /** Types into a field once its scripts are there: what is typed before is forgotten. */
  async type(label: string, text: string) {
    const field = this.page.getByLabel(label, { exact: true });
    await this.page.waitForFunction(
      (element) => !!element && Object.keys(element).some((key) => key.startsWith("__reactProps")),
      await field.elementHandle(),
    );
    await field.fill(text);
  }

  get badge() {
    return this.page.getByRole("banner").getByRole("link", { name: /audit chain/ });
  }

  nav(name: string) {
    return this.page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true });
  }

  failure(what: string) {
    return this.page.getByRole("alert").filter({ hasText: `Could not load ${what}` });
  }
}
