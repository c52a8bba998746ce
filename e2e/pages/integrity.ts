import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";

/** /integrity of one organization */
export class IntegrityPage {
  constructor(readonly page: Page) {}

  async open(orgId: string) {
    await this.page.goto(`/integrity?org=${orgId}`);
    await expect(this.page.getByRole("heading", { level: 1, name: "Integrity" })).toBeVisible();
  }

  async verifyNow() {
    await this.page.getByRole("button", { name: "Verify now" }).click();
  }

  verdict(name: string | RegExp) {
    return this.page.getByRole("heading", { level: 2, name });
  }

  /** The evidence bundle's text, as the browser saves it. */
  async downloadEvidence(): Promise<string> {
    const started = this.page.waitForEvent("download");
    await this.page.getByRole("link", { name: "Download evidence bundle" }).click();
    return readFile(await (await started).path(), "utf8");
  }
}
