import { expect, type Page } from "playwright/test";

/** /scripts, the system library */
export class ScriptsPage {
  constructor(readonly page: Page) {}

  async open() {
    await this.page.goto("/scripts");
    await expect(this.page.getByRole("heading", { level: 1, name: "Scripts" })).toBeVisible();
  }

  get rows() {
    return this.page.getByRole("table", { name: "System scripts" }).locator("tbody tr");
  }

  async search(text: string) {
    await this.page.getByLabel("Search names and scripts").fill(text);
  }
}
