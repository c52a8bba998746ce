import { expect, type Page } from "playwright/test";

/** /reports */
export class ReportsPage {
  constructor(readonly page: Page) {}

  async open(query = "") {
    await this.page.goto(`/reports${query}`);
    await expect(this.page.getByRole("heading", { level: 1, name: "Reports" })).toBeVisible();
  }

  async show(report: string) {
    await this.page.getByRole("tab", { name: report }).click();
  }

  /** The number under a name in the strip on top. */
  figure(name: string) {
    return this.page
      .getByRole("term")
      .filter({ hasText: new RegExp(`^${name}$`) })
      .locator("xpath=following-sibling::*")
      .getByRole("link");
  }

  row(table: string, text: string) {
    return this.page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: text });
  }
}
