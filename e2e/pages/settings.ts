import { expect, type Page } from "playwright/test";

/** The pages below /settings: a list, a button that opens a dialog, what the dialog gives back. */
export class SettingsPage {
  constructor(readonly page: Page) {}

  async open(path: "users" | "api-keys" | "enrollment", title: string) {
    await this.page.goto(`/settings/${path}`);
    await expect(this.page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }

  dialog(name: string | RegExp) {
    return this.page.getByRole("dialog", { name });
  }

  row(text: string | RegExp) {
    return this.page.getByRole("row").filter({ hasText: text });
  }

  async makeOrganization(name: string) {
    await this.page.goto("/organizations");
    await this.page.getByRole("button", { name: "New organization" }).click();
    await this.dialog("New organization").getByLabel("Name").fill(name);
    await this.page.getByRole("button", { name: "Create organization" }).click();
    await expect(this.dialog("New organization")).toHaveCount(0);
    // Other tests make some too: few of their rows are in the document.
    await this.page.getByLabel("Search organizations").fill(name);
    // A click before the address has changed would be lost to the change.
    await expect(this.page).toHaveURL(/search=/);
    await expect(this.row(name)).toBeVisible();
  }
}
