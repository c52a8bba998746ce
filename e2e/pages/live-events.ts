import { expect, type Page } from "playwright/test";

/** The live tab of a device's page */
export class LiveEventsPage {
  constructor(readonly page: Page) {}

  async open(deviceId: string, hostname: string) {
    await this.page.goto(`/devices/${deviceId}?tab=live`);
    await expect(this.page.getByRole("heading", { level: 1, name: hostname })).toBeVisible();
  }

  /** Asks the device: nothing before this press does. */
  async query() {
    await this.page.getByRole("button", { name: /^Query (event logs|anyway)$/ }).click();
  }

  failure(title: string) {
    return this.page.getByRole("alert").filter({ hasText: title });
  }

  async retry() {
    await this.page.getByRole("button", { name: "Retry" }).click();
  }

  log(name: string) {
    return this.page.getByRole("button", { name, exact: true });
  }

  entries(log: string) {
    return this.page.getByRole("table", { name: new RegExp(`Events in ${log}`) });
  }

  get record() {
    return this.page.getByRole("dialog", { name: /^Record/ });
  }
}
