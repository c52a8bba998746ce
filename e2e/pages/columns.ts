import { expect, type Locator, type Page } from "playwright/test";

/** The Display menu of the audit log, with its columns, and the table's headings. */
export class Columns {
  constructor(readonly page: Page) {}

  get chooser(): Locator {
    return this.page.getByRole("dialog", { name: "Display" });
  }

  async open() {
    await this.page.getByRole("button", { name: "Display", exact: true }).click();
    await expect(this.tick("Entry")).toBeVisible();
  }

  async close() {
    await this.page.keyboard.press("Escape");
    await expect(this.chooser).toHaveCount(0);
  }

  /** The answer to the choice that holds this text; earlier ones may still be on their way. */
  saved(text: string) {
    return this.page.waitForResponse(
      (answer) =>
        answer.url().includes("preferences.set") && answer.ok() && answer.request().postData()?.includes(text) === true,
    );
  }

  tick(name: string): Locator {
    return this.chooser.getByRole("checkbox", { name, exact: true });
  }

  heading(name: string): Locator {
    return this.page.getByRole("columnheader", { name, exact: true });
  }

  /** The headings, from left to right. */
  names(): Promise<string[]> {
    return this.page.getByRole("columnheader").allTextContents();
  }

  edge(name: string): Locator {
    return this.page.getByRole("separator", { name: `Width of ${name}` });
  }

  /** Pixels as the edge tells them. */
  async width(name: string): Promise<number> {
    return Number(await this.edge(name).getAttribute("aria-valuenow"));
  }
}
