import { expect, type Page } from "playwright/test";

/** The bell, the list behind it, and the settings with webhooks, schedules and the delivery log. */
export class NotificationsPage {
  constructor(readonly page: Page) {}

  get bell() {
    return this.page.getByRole("banner").getByRole("link", { name: /^Notifications/ });
  }

  item(text: string | RegExp) {
    return this.page.getByRole("list", { name: "Notifications" }).getByRole("listitem").filter({ hasText: text });
  }

  async openSettings(tab: "alarms" | "reports" | "webhooks" = "alarms") {
    await this.page.goto(`/settings/notifications?tab=${tab}`);
    await expect(this.page.getByRole("heading", { level: 1, name: "Notification settings" })).toBeVisible();
  }

  rowOf(table: string, text: string | RegExp) {
    return this.page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: text });
  }

  /** @param organization null: the one that stands in the dialog */
  async createWebhook(name: string, url: string, organization: string | null): Promise<string> {
    await this.page.getByRole("button", { name: "New webhook" }).click();
    const dialog = this.page.getByRole("dialog", { name: "New webhook" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Address").fill(url);
    if (organization) {
      await dialog.getByRole("combobox", { name: "Organization" }).fill(organization);
      await this.page.getByRole("option", { name: organization }).click();
    }
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    const secret = this.page.getByRole("dialog", { name: `Secret of ${name}` });
    const text = await secret.getByText(/^whsec_/).textContent();
    await secret.getByRole("button", { name: "Done" }).click();
    return text ?? "";
  }
}
