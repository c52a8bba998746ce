import { expect, type Page } from "@playwright/test";

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

  row(table: string, text: string) {
    return this.page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: text });
  }
}
