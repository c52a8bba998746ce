import { expect, type Page } from "playwright/test";

/** /settings/retention of one organization */
export class RetentionPage {
  constructor(readonly page: Page) {}

  async open(orgId: string) {
    await this.page.goto(`/settings/retention?orgId=${orgId}`);
    await expect(this.page.getByRole("heading", { level: 1, name: "Retention" })).toBeVisible();
  }

  async choose(label: string) {
    await this.page.getByText(label, { exact: true }).click();
  }

  async save() {
    await this.page.getByRole("button", { name: "Save", exact: true }).click();
  }

  state(text: string) {
    return this.page.getByRole("status").filter({ hasText: text });
  }

  get dialog() {
    return this.page.getByRole("dialog", { name: "Keep entries for a shorter time" });
  }
}
